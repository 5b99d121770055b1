"""Conversations as files: gathered whole from the store, written in several forms, read back.

Comes in: a store and a conversation's id, or a file. Goes out: text and recordings, or a stored
conversation. Nothing here decides what a turn means; imported bytes go through the reader.
"""
