/** Time running out: until when (this clock's epoch milliseconds), and how long it was at first. */
export interface Timer {
  until: number
  total: number
}

/** Milliseconds left until `until()`. Made while a component is set up; it stops with it. */
export class Clock {
  #now = $state(Date.now())
  #until: () => number

  constructor(until: () => number) {
    this.#until = until
    $effect(() => {
      const end = until()
      this.#now = Date.now()
      const ticking = setInterval(() => {
        this.#now = Date.now()
        if (this.#now >= end) clearInterval(ticking)
      }, 200)
      return () => clearInterval(ticking)
    })
  }

  get left(): number {
    return Math.max(0, this.#until() - this.#now)
  }

  get seconds(): number {
    return Math.ceil(this.left / 1000)
  }
}
