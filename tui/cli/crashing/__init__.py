"""What `verbatim crash-test` is made of: a server that knows what it sent, a real terminal, trials."""
