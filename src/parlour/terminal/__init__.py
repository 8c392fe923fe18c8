"""Any game with a scene in a terminal: `parlour play`, `parlour learn`, `parlour watch`.

- `drawing` prints scenes.
- `choosing` asks what to do, from the choices of a scene.
- `matches` plays against bots, without a server.
- `lesson` teaches, also without a server.
- `remote` watches and plays at tables of a running server.
"""
