import type { ServedResponse } from '@ratchet/service-kit/http/served'

export interface PacedWriterOptions {
  readonly response: ServedResponse
  /** Milliseconds for which the client may leave the write buffer full. */
  readonly slowReaderMs: number
  /** The write buffer is full, so the source must pause. */
  onFull(): void
  /** The write buffer is empty again, so the source may resume. */
  onDrained(): void
  /** The client has not read for `slowReaderMs`. */
  onStalled(): void
}

/** Writes to a client and pauses the source while the socket is full, so that no answer is buffered in memory. */
export interface PacedWriter {
  write(bytes: Buffer): void
  /** Stops the stall timer. Call it when nothing more is written. */
  stop(): void
}

export function createPacedWriter(options: PacedWriterOptions): PacedWriter {
  const { response, slowReaderMs } = options
  let stall: NodeJS.Timeout | undefined
  const drained = () => {
    clearTimeout(stall)
    stall = undefined
    options.onDrained()
  }
  return {
    write(bytes) {
      if (response.write(bytes) || stall !== undefined) return
      stall = setTimeout(() => options.onStalled(), slowReaderMs)
      response.once('drain', drained)
      options.onFull()
    },
    stop() {
      clearTimeout(stall)
      response.off('drain', drained)
    },
  }
}
