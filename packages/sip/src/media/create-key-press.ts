import { writeTelephoneEvent } from '@ratchet/audio/dtmf/telephone-event'
import { frameSamples } from './create-audio-receiver.ts'

/** Keys that are pressed one after the other, as packets of events (RFC 4733). */
export interface KeyPress {
  /** @param keys those of a telephone */
  add(keys: string): void
  readonly isPressing: boolean
  /** What the packet of the next 20 ms has; null in the pause behind a key, which has silence. */
  next(
    timestamp: number,
  ): { readonly isMarked: boolean; readonly timestamp: number; readonly payload: Uint8Array } | null
}

/** How long a key is pressed, in packets of 20 ms. */
export const keyFrames = 8
/** The end is sent three times, because one may be lost. */
const endPackets = 3
const pauseFrames = 3

export function createKeyPress(): KeyPress {
  const keys: string[] = []
  /** Packets of the key under way. */
  let step = 0
  let pressedAt = 0
  return {
    add: (text) => keys.push(...text),
    get isPressing() {
      return keys.length > 0
    },
    next(timestamp) {
      const [key] = keys
      if (key === undefined) return null
      if (step === 0) pressedAt = timestamp
      const at = step++
      if (at >= keyFrames + endPackets) {
        if (step < keyFrames + endPackets + pauseFrames) return null
        keys.shift()
        step = 0
        return null
      }
      const duration = Math.min(at + 1, keyFrames) * frameSamples
      const payload = writeTelephoneEvent({ key, isEnd: at >= keyFrames, duration })
      return { isMarked: at === 0, timestamp: pressedAt, payload }
    },
  }
}
