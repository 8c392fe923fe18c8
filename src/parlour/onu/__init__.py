"""ONU over the relay: a base class for bots, and the hosts of the house's tables."""
