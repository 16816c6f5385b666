"""First pages of whole collections from a server beside those from memory."""
