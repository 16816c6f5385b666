"""Live comparison of the reference and a port on whole collections."""
