import { mark } from '../../lib/messages'
import type { Guide } from '../../lib/guide.svelte'

export const guide: Guide = {
  goal: mark(
    'A dark card has gaps; your cards fill them. The judge of the round picks what made them laugh most, and that scores. Whoever has enough points first wins.',
  ),
  turn: [
    mark('Read the dark card at the top. It says how many cards it takes.'),
    mark(
      'Choose that many from your hand; the gaps fill in the order you choose. Or write a card of your own.',
    ),
    mark(
      'Play. When everybody has, the judge turns the answers over, one by one, without knowing whose they are.',
    ),
    mark('The judge crowns one. Its player scores, and somebody else judges next.'),
  ],
  words: [
    {
      word: mark('Judge'),
      means: mark(
        'Plays no cards this round. Turns the answers over, reads them out, and crowns one.',
      ),
    },
    {
      word: mark('Your own card'),
      means: mark(
        'Choose “Write your own” and type into the gap. You have a few of them in each game.',
      ),
    },
    {
      word: mark('Better card'),
      means: mark(
        'Winning earns points to spend. Some cards can be made better with them; a better card scores more when it wins.',
      ),
    },
    {
      word: mark('Throw away'),
      means: mark('A few times in each game you can swap a card you dislike for a new one.'),
    },
    {
      word: mark('Skip'),
      means: mark(
        'When more than half of the people vote for it, the dark card is replaced and all cards go back to their hands.',
      ),
    },
    {
      word: mark('Idle'),
      means: mark(
        'If you take too long, the others no longer wait for you. Play a card to come back.',
      ),
    },
    {
      word: mark('The big screen'),
      means: mark(
        'Open this table’s screen on a television: it shows the dark card, the answers and the scores, and everybody plays on their phone.',
      ),
    },
  ],
}
