import type { MediaRequest } from '@ratchet/contracts/voice/media-messages'

/** Bounds what the caller's side sends. */
export interface Inflow {
  /** One more frame of the WebSocket, whatever it is: also a ping, or audio of no length. */
  acceptsFrame(): boolean
  /** @param ms of audio. False: there is more of it than time has passed */
  acceptsAudio(ms: number): boolean
  /** One more message. */
  acceptsMessage(message: MediaRequest): boolean
}

/** Audio that may come at once, as after a pause of the network, milliseconds. */
const maxAudioAheadMs = 3_000
/** Clocks of sound cards are that much faster than others at most. */
const maxAudioPace = 1.05
/** What may come at once, and how much of it comes back in a second. */
const bounds = {
  /** Audio of 2 ms in each. */
  frames: { burst: 1_000, perSecond: 500 },
  messages: { burst: 200, perSecond: 60 },
  /** Each may be a turn, which a model answers. */
  texts: { burst: 20, perSecond: 2 },
  characters: { burst: 20_000, perSecond: 100 },
  keys: { burst: 60, perSecond: 10 },
} as const

export function createInflow(nowMs: () => number): Inflow {
  let audioMs = maxAudioAheadMs
  const left = Object.fromEntries(Object.entries(bounds).map(([what, { burst }]) => [what, burst])) as Bounded
  let lastMs = nowMs()
  const pass = () => {
    const now = nowMs()
    audioMs = Math.min(maxAudioAheadMs, audioMs + (now - lastMs) * maxAudioPace)
    for (const what of Object.keys(bounds) as (keyof Bounded)[]) {
      const { burst, perSecond } = bounds[what]
      left[what] = Math.min(burst, left[what] + ((now - lastMs) * perSecond) / 1000)
    }
    lastMs = now
  }
  const takes = (what: keyof Bounded, count: number) => {
    left[what] -= count
    return left[what] >= 0
  }
  return {
    acceptsFrame() {
      pass()
      return takes('frames', 1)
    },
    acceptsAudio(ms) {
      pass()
      audioMs -= ms
      return audioMs >= 0
    },
    acceptsMessage(message) {
      pass()
      if (!takes('messages', 1)) return false
      if (message.type === 'text') return takes('texts', 1) && takes('characters', message.text.length)
      return message.type !== 'dtmf' || takes('keys', 1)
    },
  }
}

type Bounded = { -readonly [What in keyof typeof bounds]: number }
