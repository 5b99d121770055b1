"""Response bytes over HTTP: keys, timeouts, and retries before the first byte only."""
