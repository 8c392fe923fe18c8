import type { Guide } from '../../lib/guide.svelte'

export const guide: Guide = {
  goal: 'Hold the lowest cards when the game ends. Four lie face down before you; you look at two of them once, and remember.',
  turn: [
    'Draw a card from the stockpile; only you see it.',
    'Put it in the place of one of your cards and discard that one; or discard what you drew.',
    'If you discard a drawn 7 to king, you may use its ability (below).',
    'Or, instead of drawing: call Cambia, if you think your hand is the lowest.',
  ],
  words: [
    { word: '7 and 8', means: 'Look at one of your own cards.' },
    { word: '9 and 10', means: 'Look at one card of somebody else.' },
    { word: 'Jack and queen', means: 'Swap any two cards on the table, without looking.' },
    { word: 'King', means: 'Look at any two cards, then swap them or leave them.' },
    {
      word: 'Points',
      means:
        'Numbers count what they show, ace 1, jack 11, queen 12, black king 13, red king −1, joker 0.',
    },
    {
      word: 'Snap',
      means:
        'At any time, whoever’s turn it is: if a card of yours has the rank of the top discard, throw it there and be rid of it. Drag it, tap it twice, or press Snap and then the card. After a wrong snap the card comes back, and you take more cards unseen.',
    },
    {
      word: 'Cambia',
      means:
        'Everybody else has one more turn, then all hands are turned up. Your own hand is locked until then. If it is not the lowest after all, you pay for it.',
    },
    {
      word: 'The ring',
      means: 'Each turn has a time limit. When the ring is empty, the table plays for you.',
    },
  ],
}
