"""First pages of whole collections from a cluster beside those from memory."""
