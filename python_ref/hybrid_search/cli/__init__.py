"""The command `hybrid-search` (CUR-5): what is here serves it alone."""
