import type { Fields } from '@ratchet/service-kit/values/json'
import { encryptedTokens } from '../wire/estimated-tokens.ts'
import { detailsOf } from '../wire/signed-thoughts.ts'

/** Assembles the thinking of a streamed message. */
export interface ThoughtRecorder {
  /** @param index of the content block */
  begin(index: unknown, block: Fields): void
  add(index: unknown, delta: Fields): void
  /** The thinking of all blocks so far, as `reasoning_details`. */
  details(): readonly object[]
  /** Tokens of the thinking that arrived only encrypted, estimated from its length. */
  readonly encryptedTokens: number
}

/** More than any answer has. It bounds the memory that a hostile provider can fill. */
const blocksMax = 1_024
/** Maximum characters of all thinking. More is left out completely. */
const charactersMax = 1_000_000

export function createThoughtRecorder(): ThoughtRecorder {
  return new Recorder()
}

class Recorder implements ThoughtRecorder {
  encryptedTokens = 0
  readonly #thoughts = new Map<unknown, Record<string, unknown>>()
  #characters = 0

  begin(index: unknown, { type, thinking = '', signature = '', data }: Fields): void {
    if (type !== 'thinking' && type !== 'redacted_thinking') return
    this.encryptedTokens += encryptedTokens(lengthOf(data))
    if (this.#thoughts.size >= blocksMax || !this.#reserve(lengthOf(thinking) + lengthOf(signature) + lengthOf(data)))
      return
    this.#thoughts.set(index, { type, thinking, signature, data })
  }

  add(index: unknown, { thinking, signature }: Fields): void {
    const thought = this.#thoughts.get(index)
    if (thought === undefined) return
    // The signature contains the thinking in encrypted form; it is counted when no text of it arrived.
    if (thought.thinking === '') this.encryptedTokens += encryptedTokens(lengthOf(signature))
    if (!this.#reserve(lengthOf(thinking) + lengthOf(signature))) return
    if (typeof thinking === 'string') thought.thinking += thinking
    if (typeof signature === 'string') thought.signature = signature
  }

  details(): readonly object[] {
    return this.#characters > charactersMax ? [] : detailsOf([...this.#thoughts.values()])
  }

  #reserve(characters: number): boolean {
    this.#characters += characters
    if (this.#characters > charactersMax) this.#thoughts.clear()
    return this.#characters <= charactersMax
  }
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0
}
