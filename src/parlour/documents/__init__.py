"""Documents about protocols, made from the types of their messages: JSON Schema and AsyncAPI."""
