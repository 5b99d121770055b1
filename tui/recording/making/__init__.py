"""Making fixtures: one recording in, another out, changed in one stated way.

Everything is exact and repeatable: what is not changed keeps its bytes, and what is random takes
a seed. `blocks` takes a body apart and puts it together, `jsontext` changes one value in an
event's text; the other modules are the operations, by what they change.
"""
