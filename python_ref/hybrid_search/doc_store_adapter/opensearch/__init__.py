"""The document store in an OpenSearch cluster."""
