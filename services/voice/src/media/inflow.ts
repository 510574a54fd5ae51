/** Bounds what the caller's side sends. */
export interface Inflow {
  /** @param ms of audio. False: there is more of it than time has passed */
  acceptsAudio(ms: number): boolean
  /** One more message. */
  acceptsMessage(): boolean
}

/** Audio that may come at once, as after a pause of the network, milliseconds. */
const maxAudioAheadMs = 3_000
/** Clocks of sound cards are that much faster than others at most. */
const maxAudioPace = 1.05
const messages = { burst: 200, perSecond: 60 }

export function createInflow(nowMs: () => number): Inflow {
  let audioMs = maxAudioAheadMs
  let left = messages.burst
  let lastMs = nowMs()
  const pass = () => {
    const now = nowMs()
    audioMs = Math.min(maxAudioAheadMs, audioMs + (now - lastMs) * maxAudioPace)
    left = Math.min(messages.burst, left + ((now - lastMs) * messages.perSecond) / 1000)
    lastMs = now
  }
  return {
    acceptsAudio(ms) {
      pass()
      audioMs -= ms
      return audioMs >= 0
    },
    acceptsMessage() {
      pass()
      left -= 1
      return left >= 0
    },
  }
}
