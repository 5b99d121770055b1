"""The screen: shows updates, asks for approval, and decides nothing about the stream."""
