"""What goes between the harness and the implementations."""
