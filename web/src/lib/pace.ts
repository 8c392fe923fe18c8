/** Events come in bursts; eyes want them one after the other. In order always, in time if there is time. */
export class Pace<E> {
  #waiting: E[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  #apply: (event: E) => void
  #gap: (event: E) => number

  /**
   * `apply` takes one event at its time; `gap` says how many milliseconds to look at it
   * before the next one (0: none).
   */
  constructor(apply: (event: E) => void, gap: (event: E) => number) {
    this.#apply = apply
    this.#gap = gap
  }

  push(event: E): void {
    this.#waiting.push(event)
    if (this.#timer === undefined) this.#run()
  }

  /** Everything that waits, now: the visitor is in a hurry, or nobody is looking. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (let event = this.#waiting.shift(); event !== undefined; event = this.#waiting.shift()) {
      this.#apply(event)
    }
  }

  /** Forgets what waits, e.g. because a fresh picture of the table is about to arrive. */
  drop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiting = []
  }

  get busy(): boolean {
    return this.#timer !== undefined
  }

  #run(): void {
    this.#timer = undefined
    for (let event = this.#waiting.shift(); event !== undefined; event = this.#waiting.shift()) {
      this.#apply(event)
      const gap = this.#gap(event)
      if (gap > 0) {
        this.#timer = setTimeout(() => this.#run(), gap)
        return
      }
    }
  }
}
