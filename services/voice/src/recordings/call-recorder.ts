import { encodeMuLaw } from '@ratchet/audio/g711'
import type { ByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import type { CallKey } from '../calls/call.ts'
import type { CallTransport } from '../engine/ports.ts'
import { createFrameQueue } from '../media/frame-queue.ts'
import { type RecordingStore, recordingPlace } from './recording.ts'

const frameMs = 20
/** Frames of a chunk: what may be lost when a worker dies. */
const framesOfChunk = 50
/** Audio of the caller that waits before it is recorded, in frames, so that packets that are late leave no holes. */
const cushion = 3
/** More than that is not caught up by waiting. */
const maxWaiting = 20
/** Frames by which the recording is behind the clock from which silence stands for them, and how many at most. */
const lateFrames = 5
const maxMissing = 500
/** Chunks that wait to be written: later ones are lost. */
const maxUnwritten = 30

export interface CallRecorder {
  /** Audio of the caller. */
  push(pcm: Int16Array): void
  /** The same line, whose audio for the caller is recorded too. */
  record(transport: CallTransport): CallTransport
  /** To be called every 20 ms. */
  tick(): void
  /** Begins to record, when it waited for that. What was said before is not stored. */
  begin(): void
  /** Writes the rest. */
  close(): Promise<void>
}

/** Opens the recorder of a call that a worker holds. */
export type OpenRecorder = (
  call: CallKey & { readonly generation: number },
  of: Pick<CallRecorderDeps, 'sampleRate' | 'atMs' | 'waits'>,
) => CallRecorder

export interface CallRecorderDeps {
  readonly sampleRate: number
  /** Milliseconds of the call now. */
  readonly atMs: () => number
  /** Whether nothing is recorded before `begin`. */
  readonly waits: boolean
  /** Called one after the other. @returns false when another worker holds the call */
  readonly write: (chunk: {
    readonly atMs: number
    readonly samples: number
    readonly audio: Uint8Array
  }) => Promise<boolean>
  readonly onError: (error: unknown) => void
}

/** Recorders that write to a store, encrypted. */
export function sealedRecorders({
  recordings,
  seal,
  onError,
}: {
  readonly recordings: Pick<RecordingStore, 'write'>
  readonly seal: Pick<ByteSeal, 'seal'>
  readonly onError: (error: unknown, call: { readonly callId: string }) => void
}): OpenRecorder {
  return (call, { sampleRate, atMs, waits }) =>
    createCallRecorder({
      sampleRate,
      atMs,
      waits,
      write: ({ audio, ...chunk }) =>
        recordings.write(call, { ...chunk, sampleRate, sealed: seal.seal(audio, recordingPlace(call)) }),
      onError: (error) => onError(error, { callId: call.id }),
    })
}

/** Records both sides of a call in the time in which they are heard: a frame of each for every tick. */
export function createCallRecorder(deps: CallRecorderDeps): CallRecorder {
  const recorder = new Recorder(deps)
  return {
    push: (pcm) => recorder.push(pcm),
    record: (transport) => recorder.record(transport),
    tick: () => recorder.tick(),
    begin: () => recorder.begin(),
    close: () => recorder.close(),
  }
}

class Recorder {
  readonly #deps: CallRecorderDeps
  readonly #frameSamples: number
  readonly #agent
  readonly #caller
  #waiting = 0
  #isFlowing = false
  #gain = 1
  #utterance: number | null = null
  readonly #cleared = new Set<number>()
  #frames: Uint8Array[] = []
  #atMs = 0
  #begunMs: number | null = null
  /** Frames. */
  #recorded = 0
  #unwritten = 0
  #writing: Promise<void> = Promise.resolve()
  #isOver = false
  #isWaiting: boolean

  constructor(deps: CallRecorderDeps) {
    this.#deps = deps
    this.#isWaiting = deps.waits
    this.#frameSamples = (deps.sampleRate * frameMs) / 1_000
    this.#agent = createFrameQueue(this.#frameSamples)
    this.#caller = createFrameQueue(this.#frameSamples)
  }

  push(pcm: Int16Array): void {
    this.#caller.push(0, pcm)
    this.#waiting += pcm.length / this.#frameSamples
  }

  record(transport: CallTransport): CallTransport {
    return {
      sampleRate: transport.sampleRate,
      play: (utterance, pcm) => {
        if (!this.#cleared.has(utterance)) this.#agent.push(utterance, pcm)
        transport.play(utterance, pcm)
      },
      clear: (utterance) => {
        this.#cleared.add(utterance)
        this.#agent.clear(utterance)
        transport.clear(utterance)
      },
      setVolume: (db) => {
        this.#gain = 10 ** (db / 20)
        transport.setVolume(db)
      },
      hangUp: () => transport.hangUp(),
    }
  }

  tick(): void {
    if (this.#isOver) return
    if (this.#isWaiting) {
      this.#nextOfCaller()
      this.#nextOfAgent()
      return
    }
    const atMs = this.#deps.atMs()
    this.#begunMs ??= atMs
    const missing = Math.floor((atMs - this.#begunMs) / frameMs) - this.#recorded
    // While the process was busy, nothing was sent to the caller.
    if (missing >= lateFrames) for (let i = 0; i < Math.min(missing, maxMissing); i++) this.#record(null)
    this.#record(this.#nextOfAgent())
  }

  begin(): void {
    this.#isWaiting = false
  }

  #record(agent: Int16Array | null): void {
    const caller = this.#nextOfCaller()
    this.#recorded++
    const both = new Int16Array(2 * this.#frameSamples)
    for (let i = 0; i < this.#frameSamples; i++) {
      both[2 * i] = caller?.[i] ?? 0
      both[2 * i + 1] = Math.round((agent?.[i] ?? 0) * this.#gain)
    }
    if (this.#frames.length === 0) this.#atMs = (this.#begunMs ?? 0) + (this.#recorded - 1) * frameMs
    this.#frames.push(encodeMuLaw(both))
    if (this.#frames.length === framesOfChunk) this.#write()
  }

  async close(): Promise<void> {
    if (this.#isOver) return
    if (this.#frames.length > 0) this.#write()
    this.#isOver = true
    await this.#writing
  }

  #nextOfCaller(): Int16Array | null {
    // Clocks of two sides are never equal: what waits too long is left out.
    for (; this.#waiting > maxWaiting; this.#waiting--) this.#caller.next()
    if (!this.#isFlowing && this.#waiting < cushion) return null
    const frame = this.#caller.next()
    this.#isFlowing = frame !== null
    this.#waiting = Math.max(0, this.#waiting - 1)
    return frame?.pcm ?? null
  }

  #nextOfAgent(): Int16Array | null {
    const frame = this.#agent.next()
    if (frame === null) return null
    // The first audio of an utterance has the full volume.
    if (frame.utterance !== this.#utterance) this.#gain = 1
    this.#utterance = frame.utterance
    return frame.pcm
  }

  #write(): void {
    const audio = Buffer.concat(this.#frames)
    const chunk = { atMs: this.#atMs, samples: audio.length / 2, audio }
    this.#frames = []
    // The call goes on without its recording while the store is away.
    if (this.#unwritten >= maxUnwritten) return
    this.#unwritten++
    this.#writing = this.#writing.then(async () => {
      try {
        if (!(await this.#deps.write(chunk))) this.#isOver = true
      } catch (error) {
        this.#deps.onError(error)
      } finally {
        this.#unwritten--
      }
    })
  }
}
