"""The conformance suite: gives the same cases to every implementation and says which answers are not the same.

Run `python -m conformance` from the root of the repository. `PORTING.md` tells how to test another port.
"""
