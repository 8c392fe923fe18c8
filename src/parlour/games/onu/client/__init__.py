"""ONU as a client plays or shows it: a base class for bots, and a table in the terminal."""
