/** Shows events one after the other, each long enough to be seen, however fast they come. */
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

  /** Shows everything that waits at once. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (let event = this.#waiting.shift(); event !== undefined; event = this.#waiting.shift()) {
      this.#apply(event)
    }
  }

  /** Drops all waiting messages, e.g. because the server is about to send the whole table again. */
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
