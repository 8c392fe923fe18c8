"""What is generated from the wires' message types: documents, examples and TypeScript."""
