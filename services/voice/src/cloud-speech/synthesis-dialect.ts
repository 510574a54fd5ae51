import type { TimedWord } from '../heard/utterance.ts'

/** How a provider takes a text and returns its audio in one answer over HTTP, while it is generated. */
export interface SynthesisDialect {
  /** Of the audio that it returns. */
  readonly sampleRate: number
  /** @param path below the base URL, with the query */
  request(text: string): {
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
    readonly body: unknown
  }
  /** Reads one answer. */
  reader(): SpeechReader
}

export interface SpeechReader {
  /** @throws when it is not what the provider documents */
  push(bytes: Buffer): readonly SpokenPart[]
  /**
   * The answer is complete.
   *
   * @throws when it ended too early
   */
  end(): readonly SpokenPart[]
}

export interface SpokenPart {
  readonly pcm: Int16Array
  /** Those that end in it, with times from the beginning of the answer; null when the provider does not say them. */
  readonly words: readonly TimedWord[] | null
}

/** Reads audio without a container: 16 bits, the low byte first. */
export function pcmReader(): SpeechReader {
  let odd: Buffer = Buffer.alloc(0)
  return {
    push(bytes) {
      const joined = odd.length === 0 ? bytes : Buffer.concat([odd, bytes])
      odd = joined.subarray(joined.length - (joined.length % 2))
      const pcm = pcmOf(joined)
      return pcm.length === 0 ? [] : [{ pcm, words: null }]
    },
    end() {
      if (odd.length > 0) throw new Error('the audio ends inside a sample')
      return []
    },
  }
}

/** Whole samples of bytes. */
export function pcmOf(bytes: Buffer): Int16Array {
  const pcm = new Int16Array(Math.floor(bytes.length / 2))
  for (let i = 0; i < pcm.length; i++) pcm[i] = bytes.readInt16LE(2 * i)
  return pcm
}
