import type { Guide } from '../../lib/guide.svelte'

export const guide: Guide = {
  goal: 'A dark card has gaps; your cards fill them. The judge of the round picks what made them laugh most, and that scores. Whoever has enough points first wins.',
  turn: [
    'Read the dark card at the top. It says how many cards it takes.',
    'Choose that many from your hand; the gaps fill in the order you choose. Or write a card of your own.',
    'Play. When everybody has, the judge turns the answers over, one by one, without knowing whose they are.',
    'The judge crowns one. Its player scores, and somebody else judges next.',
  ],
  words: [
    {
      word: 'Judge',
      means: 'Plays no cards this round. Turns the answers over, reads them out, and crowns one.',
    },
    {
      word: 'Your own card',
      means: 'Choose “Write your own” and type into the gap. You have a few of them in each game.',
    },
    {
      word: 'Better card',
      means:
        'Winning earns points to spend. Some cards can be made better with them; a better card scores more when it wins.',
    },
    {
      word: 'Throw away',
      means: 'A few times in each game you can swap a card you dislike for a new one.',
    },
    {
      word: 'Skip',
      means:
        'When more than half of the people vote for it, the dark card is replaced and all cards go back to their hands.',
    },
    {
      word: 'Idle',
      means: 'If you take too long, the others no longer wait for you. Play a card to come back.',
    },
    {
      word: 'The big screen',
      means:
        'Open this table’s screen on a television: it shows the dark card, the answers and the scores, and everybody plays on their phone.',
    },
  ],
}
