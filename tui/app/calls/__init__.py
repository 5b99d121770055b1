"""The calls of a conversation as the call panel shows them: models and line sources, no widgets."""
