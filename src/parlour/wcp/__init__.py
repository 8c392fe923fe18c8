"""The Websocket Collab Protocol: a client for bot authors, and the house's relay."""
