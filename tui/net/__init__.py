"""The network: a byte source over HTTP. Importing it is cheap; httpx loads when a request is sent."""
