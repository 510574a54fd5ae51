import type { Fields } from '@ratchet/service-kit/values/json'
import { detailsOf } from './thinking-details.ts'

/** Assembles the thinking of a streamed message. */
export interface ThoughtRecorder {
  /** @param index of the content block */
  begin(index: unknown, block: Fields): void
  add(index: unknown, delta: Fields): void
  /** The thinking of all blocks so far, as `reasoning_details`. */
  details(): readonly object[]
}

/** More than any answer has. It bounds the memory that a hostile provider can fill. */
const blocksMax = 1_024

export function createThoughtRecorder(): ThoughtRecorder {
  const thoughts = new Map<unknown, Record<string, unknown>>()
  return {
    begin(index, { type, thinking = '', signature = '', data }) {
      if ((type !== 'thinking' && type !== 'redacted_thinking') || thoughts.size >= blocksMax) return
      thoughts.set(index, { type, thinking, signature, data })
    },
    add(index, { thinking, signature }) {
      const thought = thoughts.get(index)
      if (thought === undefined) return
      if (typeof thinking === 'string') thought.thinking += thinking
      if (typeof signature === 'string') thought.signature = signature
    },
    details: () => detailsOf([...thoughts.values()]),
  }
}
