"""The linter of streams: what is odd about a response, at which byte, whose doing, what to do.

A response that was read to its end comes in (`reading.Reading`); findings, the careless clients'
results (`contrast`) and the proofs over every split and cut (`proof`) come out. It adds to what
the reader noticed by itself, never changes it, and no call runs or is held back on its word.
"""
