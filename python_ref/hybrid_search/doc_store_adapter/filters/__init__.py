"""Filters: their conditions, their parser, and the attributes that they compare."""
