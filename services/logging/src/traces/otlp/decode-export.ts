import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { shapeProblem } from './shape-problem.ts'
import { type Encoding, traceCodecs } from './trace-codec.ts'

/** A trace export as a client sent it, decompressed. */
export interface SentExport {
  readonly encoding: Encoding
  readonly bytes: Uint8Array
}

/**
 * Decodes an ExportTraceServiceRequest, and checks its form down to its lists of spans.
 *
 * @throws ServiceError 400 that names the field at fault, or `request_too_large` when it has too many parts
 */
export function decodeExport({ encoding, bytes }: SentExport): unknown {
  const request = traceCodecs[encoding].decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
  const problem = shapeProblem(request)
  if (problem === null) return request
  const { path, requested } = problem
  if (path === '')
    throw new ServiceError('invalid_request', `The body must be ${requested}: an ExportTraceServiceRequest.`)
  const message = `\`${path}\` ${requested === 'there' ? 'is required' : `must be ${requested}`} in an ExportTraceServiceRequest.`
  throw new ServiceError('invalid_request', message, { param: path })
}
