"""The implementations that are tested, one folder a language."""
