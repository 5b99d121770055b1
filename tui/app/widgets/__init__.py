"""One widget per file, named after what it shows."""
