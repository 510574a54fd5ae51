import { TraceExportReply } from '@ratchet/contracts/otlp'
import { traceDescriptor } from '@ratchet/contracts/otlp-trace-descriptor'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import protobuf from 'protobufjs/light.js'

export type Encoding = 'protobuf' | 'json'

/** An encoding of requests and replies. */
export interface TraceCodec {
  readonly contentType: string
  /**
   * Decodes an ExportTraceServiceRequest without validating it. Ids and 64 bit numbers have the form of the encoding.
   *
   * @throws ServiceError `invalid_request` when it cannot be decoded, `request_too_large` when it has too many parts
   */
  decode(bytes: Buffer): unknown
  encode(reply: TraceExportReply): Buffer
}

/**
 * Maximum number of messages, or of objects and arrays, in a request. Each has a few bytes on the wire, but about a
 * hundred in memory.
 */
const maxParts = 500_000

const root = protobuf.Root.fromJSON(traceDescriptor)
const requestType = root.lookupType('ExportTraceServiceRequest')
const replyType = root.lookupType('ExportTraceServiceResponse')
root.resolveAll()

const protobufCodec: TraceCodec = {
  contentType: 'application/x-protobuf',
  decode: (bytes) =>
    readable('The body is not an ExportTraceServiceRequest in protobuf.', () => {
      checkParts(countMessages(requestType, protobuf.Reader.create(bytes), bytes.length))
      return requestType.decode(bytes)
    }),
  encode: (reply) => Buffer.from(replyType.encode(replyType.fromObject(reply)).finish()),
}

const jsonCodec: TraceCodec = {
  contentType: 'application/json',
  decode: (bytes) =>
    readable('The body is not JSON.', () => {
      checkParts(countOpenings(bytes))
      return JSON.parse(bytes.toString())
    }),
  encode: (reply) => Buffer.from(JSON.stringify(TraceExportReply.parse(reply))),
}

export const traceCodecs: Readonly<Record<Encoding, TraceCodec>> = { protobuf: protobufCodec, json: jsonCodec }

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

/** Counts the messages that decoding would create, before it creates them. Stops above the maximum. */
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
