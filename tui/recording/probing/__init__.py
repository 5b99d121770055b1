"""Probing an endpoint: a fixed set of requests, and what the recorded answers say of the server.

`requests` holds what is asked, `features` reads the answers as the audit reads fixtures. Sending
and keeping is whoever's business who has the byte source.
"""
