import type { IncomingMessage } from 'node:http'
import type { HeldBody } from '@ratchet/service-kit/http/body-budget'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/**
 * Reads a body.
 *
 * @param held what of it is in memory
 * @throws ServiceError `request_too_large` when it has more than `maxBytes`, `service_unavailable` when there is no memory for it; the
 *   rest is not kept
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  held: Pick<HeldBody, 'add'>,
): Promise<Buffer> {
  const tooLarge = () => new ServiceError('request_too_large', `The body may have at most ${maxBytes} bytes.`)
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  const chunks: Buffer[] = []
  let bytes = 0
  // The client can be answered while it sends the rest.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooLarge()
    held.add(chunk.length)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
