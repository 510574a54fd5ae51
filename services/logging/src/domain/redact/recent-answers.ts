const places = 4

/** What was answered for the last few texts that were asked about: a text that repeats itself asks the same again. */
export class RecentAnswers<T> {
  readonly #answered: { readonly text: string; readonly how: number; readonly answer: T }[] = []
  #oldest = 0

  /** @param how what else the answer depends on. Undefined for what was not asked of late. */
  recall(text: string, how: number): T | undefined {
    for (const each of this.#answered) if (each.how === how && each.text === text) return each.answer
    return undefined
  }

  /** @returns the answer, for the caller to return. */
  remember(text: string, how: number, answer: T): T {
    this.#answered[this.#oldest] = { text, how, answer }
    this.#oldest = (this.#oldest + 1) % places
    return answer
  }
}
