"""ONU: 2 to 7 players shed cards by colour, number and effect, over a relay of AI characters."""
