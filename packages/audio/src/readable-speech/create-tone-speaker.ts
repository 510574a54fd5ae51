import {
  continuedFlag,
  continuesFlag,
  counterModulus,
  frameMs,
  frameValues,
  gapMs,
  maxFrameBytes,
  startHertz,
  symbolMs,
  valueHertz,
} from './speech-format.ts'

/** A word in a piece of audio. Times count from the beginning of the piece. */
export interface SpokenWord {
  readonly text: string
  readonly startMs: number
  /** From here on the whole word was heard. */
  readonly endMs: number
}

export interface SpokenAudio {
  readonly pcm: Int16Array
  readonly words: readonly SpokenWord[]
}

/** Says texts one after the other in tones. */
export interface ToneSpeaker {
  /** @param text words between white space; every other character belongs to a word */
  say(text: string): SpokenAudio
}

/** Amplitude of the tones: −10 dB of full scale. */
const amplitude = 10_000

/**
 * A speaker of the language of tones: about 200 words a minute, which a reader decodes exactly, also from a telephone line.
 *
 * @param sampleRate hertz, at least 8,000 and a multiple of 50
 */
export function createToneSpeaker(sampleRate: number): ToneSpeaker {
  if (sampleRate < 8_000 || sampleRate % 50 !== 0) {
    throw new RangeError(`sampleRate must be at least 8000 and a multiple of 50, got ${sampleRate}`)
  }
  let counter = 0
  return {
    say(text) {
      const words: SpokenWord[] = []
      const tones: number[] = []
      for (const word of text.split(/\s+/).filter(Boolean)) {
        const startMs = tones.length * symbolMs
        for (const { bytes, isFirst, isLast } of framesOf(word)) {
          tones.push(startHertz)
          const marked = counter | (isLast ? 0 : continuesFlag) | (isFirst ? 0 : continuedFlag)
          for (const value of frameValues(marked, bytes)) tones.push(valueHertz[value] ?? 0)
          if (!isLast) tones.push(0)
          counter = (counter + 1) % counterModulus
        }
        words.push({ text: word, startMs, endMs: tones.length * symbolMs })
        tones.push(0)
      }
      return { pcm: renderTones(tones, sampleRate), words }
    },
  }
}

/** How long a text is in tones, with the silence after its last word. */
export function toneSpeechMs(text: string): number {
  let totalMs = 0
  for (const word of text.split(/\s+/).filter(Boolean)) {
    for (const { bytes } of framesOf(word)) totalMs += frameMs(bytes.length) + gapMs
  }
  return totalMs
}

interface FramePart {
  readonly bytes: Uint8Array
  readonly isFirst: boolean
  readonly isLast: boolean
}

function framesOf(word: string): FramePart[] {
  const bytes = new TextEncoder().encode(word)
  const count = Math.ceil(bytes.length / maxFrameBytes)
  return Array.from({ length: count }, (_, i) => ({
    bytes: bytes.subarray(i * maxFrameBytes, (i + 1) * maxFrameBytes),
    isFirst: i === 0,
    isLast: i === count - 1,
  }))
}

/** One tone per symbol, without a jump of phase between tones; 0 is silence. */
function renderTones(tones: readonly number[], sampleRate: number): Int16Array {
  const samples = (sampleRate * symbolMs) / 1000
  const pcm = new Int16Array(tones.length * samples)
  let phase = 0
  for (const [symbol, hertz] of tones.entries()) {
    if (hertz === 0) {
      phase = 0
      continue
    }
    for (let i = 0; i < samples; i++) {
      pcm[symbol * samples + i] = Math.round(amplitude * Math.sin(phase))
      phase = (phase + (2 * Math.PI * hertz) / sampleRate) % (2 * Math.PI)
    }
  }
  return pcm
}
