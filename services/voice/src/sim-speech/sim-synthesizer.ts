import { createToneSpeaker } from '@ratchet/audio/readable-speech/create-tone-speaker'
import type { Synthesizer } from '../engine/ports.ts'

export interface SimSynthesizerDeps {
  readonly sampleRate: number
  /** Calls back once after a time. Returns a function that cancels it. */
  readonly schedule: (callback: () => void, delayMs: number) => () => void
  /** Until the first audio of a text. */
  readonly firstAudioMs: number
}

/** Milliseconds of audio in each further delivery, and the time between two. */
const chunkMs = 200
const chunkEveryMs = 20

/** Speaks the language of tones, and delivers it in parts as services do. */
export function createSimSynthesizer({ sampleRate, schedule, firstAudioMs }: SimSynthesizerDeps): Synthesizer {
  const speaker = createToneSpeaker(sampleRate)
  return {
    speak({ text }, events) {
      const { pcm, words } = speaker.say(text)
      const chunk = (chunkMs * sampleRate) / 1000
      let at = 0
      let cancel = schedule(deliver, firstAudioMs)
      function deliver(): void {
        const endMs = ((at + chunk) * 1000) / sampleRate
        const ended = words.filter((word) => word.endMs > (at * 1000) / sampleRate && word.endMs <= endMs)
        events.onAudio(pcm.slice(at, at + chunk), ended)
        at += chunk
        cancel = schedule(at < pcm.length ? deliver : events.onEnd, chunkEveryMs)
      }
      return () => cancel()
    },
  }
}
