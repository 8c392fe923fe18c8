"""How fast the house is, measured on the machine at hand."""
