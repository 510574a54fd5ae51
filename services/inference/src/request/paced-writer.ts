import { kibibyte } from '@ratchet/contracts/byte-sizes'
import type { HeldBody } from '@ratchet/service-kit/http/body-budget'
import type { ServedResponse } from '@ratchet/service-kit/http/served'
import { createReaderPace } from '@ratchet/service-kit/timing/reader-pace'

export interface PacedWriterOptions {
  readonly response: ServedResponse
  /** Milliseconds for which the client may leave the write buffer full, or take only some bytes of it. */
  readonly slowReaderMs: number
  /** The share of the workspace in the memory for answers. */
  readonly room: Pick<HeldBody, 'mayAdd' | 'leave'>
  /** The write buffer is full, so the source must pause. */
  onFull(): void
  /** The write buffer is empty again, so the source may resume. */
  onDrained(): void
  /** The client has hardly read for `slowReaderMs`. */
  onStalled(): void
}

/** Writes to a client and pauses the source while the socket is full, so that no answer is buffered in memory. */
export interface PacedWriter {
  write(bytes: Buffer): void
  /** Stops the stall timer. Call it when nothing more is written. */
  stop(): void
}

/**
 * What waits in processes for a client that does not read: what the provider sent and was not read (64 KB in undici, 64 KB
 * in pieces), and the credit at the edge (64 KB).
 */
const waitingBytes = 192 * kibibyte
/** Part of the time for a stream that waits beyond the share of its workspace. */
const crowdedPart = 1 / 12

export function createPacedWriter(options: PacedWriterOptions): PacedWriter {
  const { response, slowReaderMs, room } = options
  const pace = createReaderPace({ windowMs: slowReaderMs, onSlow: () => options.onStalled() })
  let isFull = false
  const drained = () => {
    isFull = false
    room.leave()
    pace.drained()
    options.onDrained()
  }
  return {
    write(bytes) {
      pace.wrote(bytes.length)
      if (response.write(bytes) || isFull) return
      isFull = true
      pace.full(room.mayAdd(waitingBytes) ? slowReaderMs : slowReaderMs * crowdedPart)
      response.once('drain', drained)
      options.onFull()
    },
    stop() {
      pace.stop()
      room.leave()
      response.off('drain', drained)
    },
  }
}
