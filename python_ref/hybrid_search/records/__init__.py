"""What becomes of records: checked, made into stored fields and vectors, written batch by batch (IDX-1 … IDX-5)."""
