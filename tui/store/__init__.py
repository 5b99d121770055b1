"""Conversations, exchanges and the dispatch ledger in SQLite."""
