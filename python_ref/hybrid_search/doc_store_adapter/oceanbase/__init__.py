"""The document store in OceanBase."""
