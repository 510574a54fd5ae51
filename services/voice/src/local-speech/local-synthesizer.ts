import { createResampler } from '@ratchet/audio/create-resampler'
import type { Synthesizer } from '../engine/ports.ts'
import { spreadWords } from '../heard/spread-words.ts'
import type { SpeechResult } from './speech-messages.ts'
import type { SpeechThread } from './speech-thread.ts'

export interface LocalSynthesizerDeps {
  readonly thread: Pick<SpeechThread, 'run'>
  /** Such as `slt`. */
  readonly voice: string
  readonly speed: number
  /** Of the line. */
  readonly sampleRate: number
}

/** Speaks by a model of this machine, which is faster than the audio by far: a clause comes as a whole. */
export function createLocalSynthesizer({ thread, voice, speed, sampleRate }: LocalSynthesizerDeps): Synthesizer {
  return {
    speak({ text }, events) {
      let isOver = false
      const take = (result: SpeechResult) => {
        if (isOver) return
        isOver = true
        if (result.kind !== 'spoken' || result.pcm.length === 0) {
          events.onFailed()
          return
        }
        const pcm = convert(result.pcm, result.sampleRate, sampleRate)
        events.onAudio(pcm, spreadWords(text, pcm, sampleRate))
        events.onEnd()
      }
      thread.run({ kind: 'speak', text, voice, speed }).then(take, () => take({ kind: 'failed', reason: 'away' }))
      return () => {
        isOver = true
      }
    },
  }
}

function convert(pcm: Int16Array, from: number, to: number): Int16Array {
  const resampler = createResampler(from, to)
  // What the filter holds back comes out with silence.
  const padded = new Int16Array(pcm.length + Math.ceil((resampler.delayMs * from) / 1_000))
  padded.set(pcm)
  return resampler.push(padded)
}
