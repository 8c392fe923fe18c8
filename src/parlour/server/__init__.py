"""The shell: sockets, sessions, limits, HTTP. It moves bytes and knows no rule."""
