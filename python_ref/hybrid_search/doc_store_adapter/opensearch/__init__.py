"""The store in OpenSearch."""
