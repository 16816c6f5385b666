"""The command line program `hybrid-search` (CUR-5); no other part of the library uses this folder."""
