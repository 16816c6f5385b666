"""Cuts long documents into chunks that follow their structure (CHK-1 … CHK-6)."""
