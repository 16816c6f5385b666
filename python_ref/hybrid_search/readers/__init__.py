"""Files into records (FIL-1 … FIL-6)."""
