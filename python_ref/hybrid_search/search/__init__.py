"""What an index answers: pages of hits, by number and by cursor."""
