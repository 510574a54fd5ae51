import type { IncomingMessage } from 'node:http'

/**
 * Calls `done` with the complete body; never when the sender disconnects before that. It uses a callback and not a
 * promise, because it runs for every request of a benchmark.
 */
export function readBody(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const [only] = chunks
    done(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks))
  })
}
