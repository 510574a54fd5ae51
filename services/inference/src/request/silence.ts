/** Gaps up to this length are ordinary between two tokens, milliseconds. */
const minGapMs = 1_000
/** Tokens that a model which reasons invisibly is assumed to generate in a second of silence. Most generate more. */
const tokensPerSecond = 50

/**
 * Measures how long an accepted stream sends no text. A model that reasons invisibly generates tokens in that time, which
 * are estimated from it when no usage states them.
 */
export class Silence {
  #sinceMs: number | null = null
  #endedMs = 0

  /** The provider accepted the request, or text arrived. */
  endAt(nowMs: number): void {
    this.#endedMs += this.#gapMs(nowMs)
    this.#sinceMs = nowMs
  }

  /** Tokens of the silence until now; may be a fraction. */
  tokens(nowMs: number): number {
    return ((this.#endedMs + this.#gapMs(nowMs)) / 1_000) * tokensPerSecond
  }

  #gapMs(nowMs: number): number {
    const gapMs = this.#sinceMs === null ? 0 : nowMs - this.#sinceMs
    return gapMs > minGapMs ? gapMs : 0
  }
}
