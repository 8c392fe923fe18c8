/** How well the bots play that this visitor asks for: chosen once, remembered from then on. */
import { type Label, mark, t } from './messages'
import { api } from './api'
import { readStored, store } from './storage'
import { toasts } from './toasts.svelte'

const KEY = 'parlour.bots'
const WORDS: Record<string, Label> = {
  easy: mark('Easy'),
  normal: mark('Normal'),
  hard: mark('Hard'),
}

export const strengthName = (strength: string): string => {
  const word = WORDS[strength]
  return word ? t(word) : strength
}

class BotChoice {
  #strength: string = $state('normal')

  constructor() {
    const kept = readStored(KEY)
    if (typeof kept === 'string') this.#strength = kept
  }

  /** Of the strengths a game has: the one that was chosen, or the strongest. */
  of(strengths: readonly string[]): string {
    return strengths.includes(this.#strength) ? this.#strength : (strengths.at(-1) ?? '')
  }

  choose(strength: string): void {
    this.#strength = strength
    store(KEY, strength)
  }
}

export const botChoice = new BotChoice()

/** Seats a bot; shows an error if the visitor may not. */
export async function addBot(code: string, strength: string): Promise<void> {
  await api.addBot(code, strength).catch((error: unknown) => toasts.error(error))
}
