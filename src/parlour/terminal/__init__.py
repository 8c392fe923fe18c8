"""Any game with a scene in a terminal: `parlour play`, `parlour learn`, `parlour watch`.

- `drawing` prints scenes.
- `choosing` asks what to do, from the choices of a scene; `entries` are what it lists, and
  `wording` says actions in words.
- `matches` plays against bots, without a server.
- `lesson` teaches, also without a server.
- `hints` asks the game's protocol or a bot what to do.
- `remote` watches a table of a running server, and `visit` plays at one.
"""
