"""What stores with tables in a database share."""
