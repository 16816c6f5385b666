"""What the reference makes for both languages: data tables and golden fixtures. Python only."""
