"""The contract of document stores, as tests that any store can run."""
