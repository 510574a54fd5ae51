import type { Request } from 'express'
import { ServiceError } from './service-error.ts'

/** The media type of a body, in lower case and without parameters. */
export function mediaTypeOf({ headers }: Request): string | undefined {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
}

/**
 * Reads a body as it arrives. Bytes that `read` does not read are discarded, so that the client receives the answer.
 *
 * @throws ServiceError 413 for more than `maxBytes`, 400 for a body that ends too soon; errors of `read`
 */
export async function bodyBytes<T>(
  request: Request,
  maxBytes: number,
  read: (content: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  try {
    return await read(limited(request, maxBytes))
  } finally {
    request.resume()
  }
}

async function* limited(request: Request, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new ServiceError('request_too_large', `The body is larger than ${maxBytes} bytes.`)
      yield chunk
    }
  } catch (cause) {
    if (request.complete || cause instanceof ServiceError) throw cause
    throw new ServiceError('invalid_request', 'The body ended before it was complete.', { cause })
  }
}
