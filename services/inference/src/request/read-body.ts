import type { ServedRequest } from '@ratchet/service-kit/http/served'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** The media types of a body that a model is called with. */
export type BodyType = 'application/json' | 'multipart/form-data'

export interface ReadableBody {
  readonly mediaType: BodyType
  readonly limitBytes: number
}

/**
 * Reads the body of a request into memory.
 *
 * @param onBytes called before bytes are stored. When it throws, the rest of the body is read and dropped.
 * @throws ServiceError 415 for another media type or a compressed body, 413 for more than `limitBytes`, 400 when the body
 *   ends before its announced length; and what `onBytes` throws
 */
export async function readBody(
  request: ServedRequest,
  { mediaType, limitBytes }: ReadableBody,
  onBytes: (bytes: number) => void,
): Promise<Buffer> {
  refuseMediaType(request, mediaType)
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes)
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] | null = []
    let length = 0
    const onClose = () => reject(brokenOff())
    request.on('data', (chunk: Buffer) => {
      if (chunks === null) return
      length += chunk.length
      if (length > limitBytes) {
        request.pause()
        return reject(tooLarge(limitBytes))
      }
      try {
        onBytes(chunk.length)
        chunks.push(chunk)
      } catch (refusal) {
        chunks = null
        reject(refusal)
      }
    })
    request.once('end', () => {
      request.off('close', onClose)
      if (chunks === null) return
      const [first] = chunks
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks))
    })
    request.once('close', onClose)
    request.on('error', onClose)
  })
}

function refuseMediaType({ headers }: ServedRequest, expected: BodyType): void {
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (mediaType !== expected) {
    throw new ServiceError('unsupported_media_type', `Send the body as ${expected}.`, { param: 'Content-Type' })
  }
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    throw new ServiceError('unsupported_media_type', 'Send the body without a content encoding.', {
      param: 'Content-Encoding',
    })
  }
}

function tooLarge(limitBytes: number): ServiceError {
  return new ServiceError('request_too_large', `The body is larger than ${limitBytes} bytes.`, {
    headers: { connection: 'close' },
  })
}

function brokenOff(): ServiceError {
  return new ServiceError('invalid_request', 'The body ended before it was complete.')
}
