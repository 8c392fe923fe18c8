/** Short messages at the edge of the page; they go by themselves. */
import { said } from './messages'

export interface Toast {
  id: number
  text: string
  tone: 'note' | 'error'
}

let next = 0

class Toasts {
  list: Toast[] = $state([])

  note(text: string): void {
    this.#show(text, 'note', 3500)
  }

  error(reason: unknown): void {
    this.#show(said(reason instanceof Error ? reason.message : String(reason)), 'error', 6000)
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id)
  }

  clear(): void {
    this.list = []
  }

  #show(text: string, tone: Toast['tone'], ms: number): void {
    // The same sentence twice is one toast that stays longer.
    const rest = this.list.filter((toast) => toast.text !== text).slice(-2)
    const toast = { id: next++, text, tone }
    this.list = [...rest, toast]
    setTimeout(() => this.dismiss(toast.id), ms)
  }
}

export const toasts = new Toasts()
