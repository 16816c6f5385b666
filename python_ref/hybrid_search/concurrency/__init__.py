"""Runs the calls of an `AsyncIndex`: threads, and providers that are awaited."""
