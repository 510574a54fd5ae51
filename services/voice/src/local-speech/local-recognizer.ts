import { joinSamples } from '@ratchet/audio/join-samples'
import { createLevelDetector } from '../cloud-speech/level-detector.ts'
import type { Recognizer, RecognizerEvents } from '../engine/ports.ts'
import type { SpeechThread } from './speech-thread.ts'

/** Audio before the first loud window that belongs to a segment: words begin quietly. */
const leadMs = 300
/** New audio of a segment after which its words so far are recognized. */
const partialEveryMs = 500
/** Segments without a pause are recognized in parts of this length; the model was made for shorter ones. */
const maxSegmentMs = 15_000
/** Silence after which a segment is over, also when nobody asks for it. */
const maxSilenceMs = 1_000
/** Failures in a row after which the recognizer is of no use. */
const maxFailures = 3

/** Recognizes by a model of this machine that hears whole segments: each is heard again while it grows. */
export function openLocalRecognizer(deps: LocalRecognizerDeps, events: RecognizerEvents): Recognizer {
  const recognizer = new LocalRecognizer(deps, events)
  return {
    push: (pcm) => recognizer.push(pcm),
    flush: () => recognizer.finish(),
    close: () => recognizer.close(),
  }
}

export interface LocalRecognizerDeps {
  readonly thread: Pick<SpeechThread, 'run'>
  /** Of the line. */
  readonly sampleRate: number
}

class LocalRecognizer {
  readonly #deps: LocalRecognizerDeps
  readonly #events: RecognizerEvents
  readonly #detector
  /** The segment so far, or what comes before the next one. */
  #kept: Int16Array[] = []
  #size = 0
  /** Of the segment, when it was last recognized. */
  #knownSize = 0
  #silentMs = 0
  #isSpeech = false
  /** Segments that are over and wait for the model, the oldest first. */
  readonly #over: Int16Array[] = []
  #isBusy = false
  #failures = 0
  #isClosed = false

  constructor(deps: LocalRecognizerDeps, events: RecognizerEvents) {
    this.#deps = deps
    this.#events = events
    this.#detector = createLevelDetector(deps.sampleRate)
  }

  push(pcm: Int16Array): void {
    if (this.#isClosed) return
    this.#kept.push(pcm)
    this.#size += pcm.length
    for (const { probability, windowMs } of this.#detector.push(pcm)) {
      this.#silentMs = probability >= 0.5 ? 0 : this.#silentMs + windowMs
      if (probability >= 0.5) this.#isSpeech = true
    }
    const lead = this.#samples(leadMs)
    while (!this.#isSpeech && this.#size > lead && this.#kept.length > 1) this.#size -= this.#kept.shift()?.length ?? 0
    const isOver = this.#silentMs >= maxSilenceMs || this.#size >= this.#samples(maxSegmentMs)
    if (this.#isSpeech && isOver) this.finish()
    else this.#work()
  }

  /** The segment is over. */
  finish(): void {
    if (!this.#isSpeech) return
    this.#over.push(joinSamples(this.#kept))
    this.#drop()
    this.#work()
  }

  close(): void {
    this.#isClosed = true
    this.#over.length = 0
    this.#drop()
  }

  #samples(ms: number): number {
    return (ms * this.#deps.sampleRate) / 1_000
  }

  #drop(): void {
    this.#kept = []
    this.#size = 0
    this.#knownSize = 0
    this.#isSpeech = false
  }

  #work(): void {
    if (this.#isBusy || this.#isClosed) return
    const [ended] = this.#over
    if (ended !== undefined) this.#recognize(ended, true)
    else if (this.#isSpeech && this.#size - this.#knownSize >= this.#samples(partialEveryMs)) {
      this.#knownSize = this.#size
      this.#recognize(joinSamples(this.#kept), false)
    }
  }

  #recognize(pcm: Int16Array, isFinal: boolean): void {
    const { thread, sampleRate } = this.#deps
    this.#isBusy = true
    thread.run({ kind: 'recognize', pcm, sampleRate }).then(
      (result) => this.#settle(result.kind === 'recognized' ? result.text : null, isFinal),
      () => this.#settle(null, isFinal),
    )
  }

  #settle(text: string | null, isFinal: boolean): void {
    this.#isBusy = false
    if (this.#isClosed) return
    this.#failures = text === null ? this.#failures + 1 : 0
    if (this.#failures >= maxFailures) {
      this.close()
      this.#events.onFailed()
      return
    }
    // A segment that could not be recognized is tried again.
    if (isFinal && text !== null) this.#over.shift()
    // What ended meanwhile is recognized as a whole.
    const isOld = !isFinal && !this.#isSpeech
    if (text !== null && text !== '' && !isOld) this.#events.onText(text, isFinal)
    this.#work()
  }
}
