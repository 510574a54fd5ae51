import type { IncomingMessage } from 'node:http'

/**
 * Calls `done` with the whole body once it is in; never when the sender leaves before that.
 * Callbacks rather than a promise: this runs once for every request of a benchmark.
 */
export function readBody(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const [only] = chunks
    done(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks))
  })
}
