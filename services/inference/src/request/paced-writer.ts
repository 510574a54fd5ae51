import type { ServerResponse } from 'node:http'

export interface PacedWriterOptions {
  readonly response: ServerResponse
  /** Milliseconds the client may leave our buffer full. */
  readonly slowReaderMs: number
  /** The client's buffer is full: stop the source. */
  onFull(): void
  /** It took everything: go on. */
  onDrained(): void
  /** It has not read for `slowReaderMs`. */
  onStalled(): void
}

/** Writes to a client without buffering more than the socket holds. */
export interface PacedWriter {
  write(bytes: Buffer): void
  /** Stops the clock; call once nothing more is written. */
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
