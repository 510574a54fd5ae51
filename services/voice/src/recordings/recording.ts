import type { CallKey } from '../calls/call.ts'

/** A second of a recording: both sides, one after the other sample by sample, the caller first, as mu-law. */
export interface RecordedChunk {
  /** Milliseconds of the call at its beginning. */
  readonly atMs: number
  readonly sampleRate: number
  /** Of each side. */
  readonly samples: number
  readonly sealed: Buffer
}

/** What is known of a recording without its audio. */
export interface RecordingInfo {
  readonly sampleRate: number
  /** Of each side. */
  readonly samples: number
  /** Whether parts of the call are missing: no worker held it for a while, or the store was away. */
  readonly isPartial: boolean
}

/** A chunk, and where its samples are in the recording. */
export interface PlacedChunk {
  readonly number: number
  readonly fromSample: number
  readonly samples: number
}

/** Where recordings are kept. */
export interface RecordingStore {
  /** @returns false when another worker holds the call */
  write(call: CallKey & { readonly generation: number }, chunk: RecordedChunk): Promise<boolean>
  /** Null: nothing was recorded, or it was deleted. */
  info(call: CallKey): Promise<RecordingInfo | null>
  /** Chunks in their order. */
  chunks(call: CallKey): Promise<readonly PlacedChunk[]>
  /** The sealed audio of a chunk; null: it was deleted meanwhile. */
  read(call: CallKey, number: number): Promise<Buffer | null>
}

/** What the keys of recordings seal. */
export const recordingPurpose = 'recording of a call'

/** A sealed chunk opens for its call only. */
export function recordingPlace({ workspaceId, id }: CallKey): string {
  return `${workspaceId} ${id}`
}
