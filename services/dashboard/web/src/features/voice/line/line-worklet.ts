import { type PlayedPart, PlayoutQueue } from './playout-queue.ts'

/* Runs on the audio thread of the browser: frames of the microphone go out, audio of the agent comes in. */

/** What the types of browsers do not have: the audio thread. */
declare const sampleRate: number
declare const AudioWorkletProcessor: new () => { readonly port: MessagePort }
declare const registerProcessor: (name: string, processor: new () => unknown) => void

/** Samples of 20 ms. */
const frameSamples = 320
/** Frames between two messages about what was played. */
const playedEvery = 5

type Order =
  | { readonly kind: 'audio'; readonly id: number; readonly pcm: ArrayBuffer }
  | { readonly kind: 'clear'; readonly id: number }

class LineProcessor extends AudioWorkletProcessor {
  readonly #queue = new PlayoutQueue(sampleRate)
  #frame = new Int16Array(frameSamples)
  #filled = 0
  #frames = 0
  #said = ''

  constructor() {
    super()
    this.port.onmessage = ({ data }: MessageEvent<Order>) => {
      if (data.kind === 'audio') this.#queue.add(data.id, new Int16Array(data.pcm))
      else this.port.postMessage({ kind: 'cleared', ...this.#queue.clear(data.id) })
    }
  }

  process([input]: Float32Array[][], [output]: Float32Array[][]): boolean {
    const block = output?.[0]
    if (block !== undefined) this.#queue.fill(block)
    this.#record(input?.[0] ?? new Float32Array(block?.length ?? 128))
    return true
  }

  /** A microphone that is muted is silence, because the agent waits for frames. */
  #record(samples: Float32Array): void {
    for (const sample of samples) {
      this.#frame[this.#filled] = Math.max(-1, Math.min(1, sample)) * 32_767
      this.#filled += 1
      if (this.#filled < frameSamples) continue
      this.port.postMessage({ kind: 'frame', pcm: this.#frame.buffer }, [this.#frame.buffer])
      this.#frame = new Int16Array(frameSamples)
      this.#filled = 0
      this.#frames += 1
      const { played } = this.#queue
      if (this.#frames % playedEvery === 0 && played !== null) this.#tell(played)
    }
  }

  /** Says it once: while nothing is played, nothing is new. */
  #tell({ id, ms }: PlayedPart): void {
    const said = `${id} ${ms}`
    if (said !== this.#said) this.port.postMessage({ kind: 'played', id, ms })
    this.#said = said
  }
}

registerProcessor('line', LineProcessor)
