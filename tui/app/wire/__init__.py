"""What came over the wire, event by event: models of the wire pane and of time travel, no widgets."""
