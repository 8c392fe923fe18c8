// The same message as in bench/echo.py: a card is drawn, and only its owner sees its face.
const PLAYER = 'fedcba9876543210fedcba9876543210'

exports.move = function move(card, open) {
  const cards = [{ id: card, face: open ? { suit: 'hearts', rank: '10' } : null }]
  return { type: 'move', cards, destination: { type: 'player', player_id: PLAYER, position: 3 } }
}
