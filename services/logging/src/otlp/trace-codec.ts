import { TraceExportReply } from '@ratchet/contracts/otlp'
import { traceDescriptor } from '@ratchet/contracts/otlp-trace-descriptor'
import { ServiceError } from '@ratchet/service-kit/service-error'
import protobuf from 'protobufjs/light.js'

/** How a request is encoded, and hence its answer. */
export interface TraceCodec {
  readonly contentType: string
  /**
   * An ExportTraceServiceRequest, nothing in it checked; ids and 64 bit numbers in whatever form the encoding has.
   *
   * @throws ServiceError `invalid_request` for what is none, `request_too_large` for one of too many parts
   */
  decode(bytes: Buffer): unknown
  encode(reply: TraceExportReply): Buffer
}

/** Messages, or objects and arrays, that one request may be made of: a few bytes each on the wire, a hundred here. */
const maxParts = 500_000

const root = protobuf.Root.fromJSON(traceDescriptor)
const requestType = root.lookupType('ExportTraceServiceRequest')
const replyType = root.lookupType('ExportTraceServiceResponse')
root.resolveAll()

export const protobufCodec: TraceCodec = {
  contentType: 'application/x-protobuf',
  decode: (bytes) =>
    readable('The body is no ExportTraceServiceRequest in protobuf.', () => {
      checkParts(countMessages(requestType, protobuf.Reader.create(bytes), bytes.length))
      return requestType.decode(bytes)
    }),
  encode: (reply) => Buffer.from(replyType.encode(replyType.fromObject(reply)).finish()),
}

export const jsonCodec: TraceCodec = {
  contentType: 'application/json',
  decode: (bytes) =>
    readable('The body is not JSON.', () => {
      checkParts(countOpenings(bytes))
      return JSON.parse(bytes.toString())
    }),
  encode: (reply) => Buffer.from(JSON.stringify(TraceExportReply.parse(reply))),
}

function readable(problem: string, decode: () => unknown): unknown {
  try {
    return decode()
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause
    throw new ServiceError('invalid_request', problem, { cause })
  }
}

function checkParts(parts: number): void {
  if (parts > maxParts) throw new ServiceError('request_too_large', 'The export has too many parts.')
}

/** How many messages decoding would make, known before it makes them; more than allowed is counted no further. */
function countMessages(type: protobuf.Type, reader: protobuf.Reader, end: number, depth = 0): number {
  let count = 0
  while (reader.pos < end && count <= maxParts) {
    const tag = reader.tag()
    const field = type.fieldsById[tag >>> 3]?.resolvedType
    if ((tag & 7) !== 2 || !(field instanceof protobuf.Type)) {
      reader.skipType(tag & 7, depth, tag)
      continue
    }
    const length = reader.size()
    if (depth > protobuf.Reader.recursionLimit || reader.pos + length > end) throw new RangeError('no such message')
    count += 1 + countMessages(field, reader, reader.pos + length, depth + 1)
  }
  return count
}

function countOpenings(json: Buffer): number {
  let count = 0
  for (const byte of json) if (byte === 0x7b || byte === 0x5b) count += 1
  return count
}
