"""The real server on a virtual clock, with simulated machines, networks, disks and databases.

See docs/reliability.md.
"""
