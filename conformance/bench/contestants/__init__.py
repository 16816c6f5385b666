"""Who is timed in Python worker processes: the anchors, and the reference."""
