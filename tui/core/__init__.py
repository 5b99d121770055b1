"""Bytes and values in, values out: the rules of the stream, without I/O, clock or randomness."""
