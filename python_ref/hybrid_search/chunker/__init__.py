"""Long documents in pieces that follow their structure (CHK-1 … CHK-6)."""
