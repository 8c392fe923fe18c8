// Node and its `ws` package: a bare fan-out. One message in, two encodings, one message out to each
// player at the table. It has no rules, no log, no seats and no limits.
const { WebSocketServer } = require('ws')
const { move } = require('./moves.cjs')

const tables = new Map()
const server = new WebSocketServer({ host: '127.0.0.1', port: Number(process.argv[2]), perMessageDeflate: false })

server.on('connection', (socket, request) => {
  const name = new URL(request.url, 'http://localhost').searchParams.get('table')
  if (!tables.has(name)) tables.set(name, new Set())
  const table = tables.get(name)
  table.add(socket)
  socket.on('close', () => table.delete(socket))
  socket.on('message', (data) => {
    const action = JSON.parse(data)
    if (action.type !== 'draw' || typeof action.card_id !== 'string') return socket.close()
    const owners = JSON.stringify(move(action.card_id, true))
    const shown = JSON.stringify(move(action.card_id, false))
    for (const other of table) other.send(other === socket ? owners : shown)
  })
  socket.send('{"type":"lobby"}')
})
