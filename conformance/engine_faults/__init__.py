"""What becomes of stores when their engines are killed, filled, slowed down or crowded."""
