import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/**
 * Reads a body.
 *
 * @throws ServiceError `request_too_large` when it has more than `maxBytes`; the rest is not read
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new ServiceError('request_too_large', `The body may have at most ${maxBytes} bytes.`)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
