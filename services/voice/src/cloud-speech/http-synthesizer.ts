import { createResampler, type Resampler } from '@ratchet/audio/create-resampler'
import { joinSamples } from '@ratchet/audio/join-samples'
import type { GuardedUpstream } from '@ratchet/http/create-guarded-upstream'
import { startUpstreamCall, type UpstreamCall } from '@ratchet/http/upstream-call'
import type { Synthesizer } from '../engine/ports.ts'
import { spreadWords } from '../heard/spread-words.ts'
import type { TimedWord } from '../heard/utterance.ts'
import type { SpokenPart, SynthesisDialect } from './synthesis-dialect.ts'

export interface HttpSynthesizerDeps {
  readonly connection: GuardedUpstream
  readonly dialect: SynthesisDialect
  /** Of the line. */
  readonly sampleRate: number
  /** Audio did not come, for the log. */
  readonly onLost: (reason: string) => void
}

/** A voice without audio for longer than the engine waits is replaced by it, so these are shorter. */
const clocks = { firstByteMs: 4_000, idleMs: 4_000, totalMs: 60_000 }
/** Longest audio of a text. Nobody speaks slower; what goes on is no speech of it. */
const longest = { ms: 5_000, msPerCharacter: 300 }

type SpeechEvents = Parameters<Synthesizer['speak']>[1]

/** Speaks by a provider over HTTP. Audio is passed on as it comes. */
export function createHttpSynthesizer(deps: HttpSynthesizerDeps): Synthesizer {
  const { connection, dialect, onLost } = deps
  const { upstream, basePath } = connection
  return {
    speak({ text }, events) {
      const { path, headers, body } = dialect.request(text)
      const reader = dialect.reader()
      const audio = new SpokenAudio(deps, text, events)
      let isOver = false
      let call: UpstreamCall | null = null
      const fail = (reason: string) => {
        if (isOver) return
        isOver = true
        call?.abort()
        onLost(reason)
        events.onFailed()
      }
      const take = (read: () => readonly SpokenPart[]): boolean => {
        try {
          for (const part of read()) audio.take(part)
          return true
        } catch (error) {
          fail(error instanceof Error ? error.message : 'not readable')
          return false
        }
      }
      call = startUpstreamCall(
        upstream,
        {
          method: 'POST',
          path: `${basePath}${path}`,
          headers: { ...headers, 'content-type': 'application/json' },
          body: Buffer.from(JSON.stringify(body)),
          clocks,
        },
        {
          onHead(status) {
            if (status !== 200) fail(`status ${status}`)
          },
          onData(chunk) {
            if (!isOver) take(() => reader.push(chunk))
          },
          onEnd() {
            if (isOver || !take(() => reader.end())) return
            if (!audio.hasSound) return fail('no audio')
            isOver = true
            audio.end()
            events.onEnd()
          },
          onFailure: ({ kind }) => fail(kind),
        },
      )
      return () => {
        if (isOver) return
        isOver = true
        call?.abort()
      }
    },
  }
}

/** The audio of one text, at the rate of the line. */
class SpokenAudio {
  readonly #deps: HttpSynthesizerDeps
  readonly #text: string
  readonly #events: SpeechEvents
  readonly #resampler: Resampler
  /** All audio so far, when the provider says no times of words. */
  readonly #all: Int16Array[] = []
  #isTimed = false
  /** What is kept back, so that the last audio comes with the last words. */
  #tail = new Int16Array(0)
  #words: TimedWord[] = []
  #ms = 0

  constructor(deps: HttpSynthesizerDeps, text: string, events: SpeechEvents) {
    this.#deps = deps
    this.#text = text
    this.#events = events
    this.#resampler = createResampler(deps.dialect.sampleRate, deps.sampleRate)
  }

  get hasSound(): boolean {
    return this.#ms > 0
  }

  /** @throws when there is more audio than the text can have */
  take({ pcm, words }: SpokenPart): void {
    this.#ms += (pcm.length * 1_000) / this.#deps.dialect.sampleRate
    if (this.#ms > longest.ms + longest.msPerCharacter * this.#text.length) throw new Error('audio without end')
    if (words !== null) {
      this.#isTimed = true
      this.#words.push(...words.map(({ text, endMs }) => ({ text, endMs: endMs + this.#resampler.delayMs })))
    }
    this.#give(this.#resampler.push(pcm))
  }

  end(): void {
    const { sampleRate, dialect } = this.#deps
    // What the filter still holds.
    this.#give(this.#resampler.push(new Int16Array(Math.ceil((this.#resampler.delayMs * dialect.sampleRate) / 1_000))))
    const words = this.#isTimed
      ? this.#words
      : spreadWords(this.#text, joinSamples([...this.#all, this.#tail]), sampleRate)
    this.#events.onAudio(this.#tail, words)
  }

  /** Passes all on but the last sample, which waits for the end. */
  #give(pcm: Int16Array): void {
    if (pcm.length === 0) return
    const whole = joinSamples([this.#tail, pcm])
    this.#tail = whole.slice(-1)
    const given = whole.slice(0, -1)
    if (given.length === 0) return
    if (!this.#isTimed) this.#all.push(given)
    this.#events.onAudio(given, this.#words)
    this.#words = []
  }
}
