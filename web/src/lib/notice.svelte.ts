/** The operator's message to everybody, as tables and the hall are told it. */
class Notice {
  text = $state('')
  /** The one that this visitor has put away. */
  #seen = $state('')

  get shown(): string {
    return this.text === this.#seen ? '' : this.text
  }

  dismiss(): void {
    this.#seen = this.text
  }
}

export const notice = new Notice()
