"""The only loop: bytes to updates, approval, dispatch and the next request."""
