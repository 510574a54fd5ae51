import type { Fields } from '../../wire/chat/chat-chunk.ts'
import { detailsOf } from './thinking-details.ts'

/** Puts the thoughts of a streamed message together. */
export interface ThoughtRecorder {
  /** @param index of the content block */
  begin(index: unknown, block: Fields): void
  add(index: unknown, delta: Fields): void
  /** Those of all blocks so far, as `reasoning_details`. */
  details(): readonly object[]
}

/** More than any answer has; bounds what is remembered of a hostile provider. */
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
