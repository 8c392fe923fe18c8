// Colyseus: a room for each table. A message in is checked, and as many messages as it asks for go
// out to each player in the room, two encodings each. It has seats and reconnection, but no rules,
// no state that is kept in step, and no log.
const { Room, Server } = require('@colyseus/core')
const { WebSocketTransport } = require('@colyseus/ws-transport')
const { move } = require('./moves.cjs')

class Table extends Room {
  maxClients = 4

  onCreate() {
    this.onMessage('draw', (client, { card_id: card, frames }) => {
      if (typeof card !== 'string') return client.leave()
      for (let sent = 0; sent < frames; sent++) {
        client.send('move', move(card, true))
        this.broadcast('move', move(card, false), { except: client })
      }
    })
  }
}

// The load answers no pings, and runs for seconds.
const server = new Server({ greet: false, transport: new WebSocketTransport({ pingInterval: 0 }) })
server.define('table', Table).filterBy(['table'])
server.listen(Number(process.argv[2]), '127.0.0.1')
