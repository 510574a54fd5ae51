import { z } from 'zod'
import type { CallerRule } from './callers.ts'

/** Dialects whose exchanges are logged. */
export const capturedDialects = ['chat', 'messages', 'responses'] as const
export type CapturedDialect = (typeof capturedDialects)[number]

/** The facts of an exchange that inference sends beside its content. */
export const CapturedMeta = z.object({
  /** The dialect of request and reply. The release before captures only chat completions, and does not write it. */
  dialect: z.enum(capturedDialects).default('chat'),
  requestId: z.uuid(),
  workspaceId: z.uuid(),
  /** Null for a request from the dashboard. */
  keyId: z.uuid().nullable(),
  createdAt: z.iso.datetime(),
  /** The time at which the exchange is deleted. */
  expiresAt: z.iso.datetime(),
  /** The catalog id of the model that answered. */
  servedModel: z.string(),
  /** The model or alias that the client requested. */
  requestedModel: z.string(),
  provider: z.string(),
  alias: z.string().nullable(),
  canary: z.boolean(),
  fallbackFrom: z.string().nullable(),
  tag: z.string().nullable(),
  traceId: z.string().nullable(),
  /** The end user, the session and the metadata that headers name. The release before does not write them. */
  user: z.string().nullable().default(null),
  conversationId: z.string().nullable().default(null),
  metadata: z.record(z.string(), z.string()).default({}),
  stream: z.boolean(),
  cached: z.boolean(),
  /** Nano-dollars, in decimal. */
  costNano: z.string().regex(/^\d{1,19}$/),
  latencyMs: z.number().min(0),
  /** Milliseconds to the first byte of a stream; null when the answer was not streamed. */
  ttftMs: z.number().min(0).nullable(),
})
export type CapturedMeta = z.infer<typeof CapturedMeta>

/** An exchange that is sent to the log: its facts, and the bytes of the request and of the answer. */
export interface CapturedExchange {
  readonly meta: CapturedMeta
  /** The body of the client in its dialect; one of the Responses API has the responses before it in its input. */
  readonly request: Buffer
  /** The answer to it in its unstreamed form. */
  readonly reply: Buffer
}

/**
 * The Redis streams for exchanges, their consumer group, and the only field of an entry: bytes of `encodeCaptures`, sealed for
 * the stream's key with a key that is derived from logging's identity keys. Workspaces that capture more than their share go
 * through the second stream, so that the exchanges of others do not wait behind theirs.
 */
export const captureStream = {
  key: 'ratchet:capture:sealed',
  busyKey: 'ratchet:capture:sealed:busy',
  group: 'logging',
  field: 'sealed',
} as const

/**
 * The stream to which processes of the release before write, without a seal. Workers read both, and entries of one stream
 * are never read by a worker of the other release, so none is lost while one release replaces the other.
 */
export const unsealedCaptureStream = { key: 'ratchet:capture', field: 'captures' } as const

/** The keys of all streams of captured exchanges, in the order in which workers store what they read together. */
export const captureStreamKeys = [captureStream.key, captureStream.busyKey, unsealedCaptureStream.key] as const

/** What the keys seal that are derived for captured exchanges. */
export const captureSealPurpose = 'captures'

/**
 * Path of logging's internal endpoint that is used while Redis is unavailable. Its body is that of `encodeCaptures`.
 */
export const capturesPath = '/internal/captures'
/** Who may call it. */
export const capturesRule: CallerRule = { audience: 'internal', callers: ['inference'], needsPurpose: false }
export const capturesType = 'application/octet-stream'

/** Encodes exchanges one after the other, each as three lengths (unsigned 32 bit, big-endian) and three parts. */
export function encodeCaptures(exchanges: readonly CapturedExchange[]): Buffer {
  return Buffer.concat(partsOfCaptures(exchanges))
}

/** What `encodeCaptures` joins, for who need not join it. */
export function partsOfCaptures(exchanges: readonly CapturedExchange[]): Buffer[] {
  return exchanges.flatMap(({ meta, request, reply }) => {
    const facts = Buffer.from(JSON.stringify(meta))
    const lengths = Buffer.allocUnsafe(lengthsBytes)
    lengths.writeUInt32BE(facts.length, 0)
    lengths.writeUInt32BE(request.length, 4)
    lengths.writeUInt32BE(reply.length, 8)
    return [lengths, facts, request, reply]
  })
}

const lengthsBytes = 12

/** @throws RangeError when the bytes are not the result of `encodeCaptures` */
export function decodeCaptures(bytes: Buffer): readonly CapturedExchange[] {
  return splitCaptures(bytes).map(readCaptured)
}

/** The bytes of a captured exchange, whose facts may be invalid. */
export interface CaptureParts {
  readonly meta: Buffer
  readonly request: Buffer
  readonly reply: Buffer
}

/** Splits the result of `encodeCaptures`. @throws RangeError when the bytes have another form */
export function splitCaptures(bytes: Buffer): readonly CaptureParts[] {
  const exchanges: CaptureParts[] = []
  let at = 0
  const take = (length: number) => {
    if (at + length > bytes.length) throw new RangeError('the bytes end inside a captured exchange')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const lengths = take(lengthsBytes)
    const [meta, request, reply] = [0, 4, 8].map((place) => take(lengths.readUInt32BE(place))) as [
      Buffer,
      Buffer,
      Buffer,
    ]
    exchanges.push({ meta, request, reply })
  }
  return exchanges
}

/** @throws RangeError when the facts are invalid */
export function readCaptured({ meta, request, reply }: CaptureParts): CapturedExchange {
  try {
    return { meta: CapturedMeta.parse(JSON.parse(meta.toString())), request, reply }
  } catch (cause) {
    throw new RangeError('the facts of a captured exchange are invalid', { cause })
  }
}
