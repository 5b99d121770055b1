"""Rules: one module for each layer of a response. Each has `look(reading, notes)`."""
