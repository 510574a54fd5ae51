import { z } from 'zod'

/** What inference says of an exchange beside its content. */
export const CapturedMeta = z.object({
  requestId: z.uuid(),
  workspaceId: z.uuid(),
  keyId: z.uuid(),
  createdAt: z.iso.datetime(),
  /** When it has to be gone. */
  expiresAt: z.iso.datetime(),
  /** The model that answered, as the catalog calls it. */
  servedModel: z.string(),
  /** As the client named it. */
  requestedModel: z.string(),
  provider: z.string(),
  alias: z.string().nullable(),
  canary: z.boolean(),
  fallbackFrom: z.string().nullable(),
  tag: z.string().nullable(),
  traceId: z.string().nullable(),
  stream: z.boolean(),
  cached: z.boolean(),
  /** Nano-dollars, in decimal. */
  costNano: z.string().regex(/^\d{1,19}$/),
  latencyMs: z.number().min(0),
  /** To the first byte of a stream; null for what was not streamed. */
  ttftMs: z.number().min(0).nullable(),
})
export type CapturedMeta = z.infer<typeof CapturedMeta>

/** One exchange on its way to the log: what is known of it, and both sides' own bytes. */
export interface CapturedExchange {
  readonly meta: CapturedMeta
  /** The client's body: a chat completion request. */
  readonly request: Buffer
  /** The answer as it would have come unstreamed: a chat completion. */
  readonly reply: Buffer
}

/** The Redis stream that carries exchanges, its consumer group, and the names of an entry's fields. */
export const captureStream = { key: 'ratchet:capture', group: 'logging' } as const
export const captureFields = { meta: 'meta', request: 'request', reply: 'reply' } as const

/** Path of logging's internal endpoint that takes what Redis cannot; body and type of `encodeCaptures`. */
export const capturesPath = '/internal/captures'
export const capturesType = 'application/octet-stream'

/** Exchanges one after the other, each as three lengths (unsigned 32 bit, big-endian) and three parts. */
export function encodeCaptures(exchanges: readonly CapturedExchange[]): Buffer {
  return Buffer.concat(
    exchanges.flatMap(({ meta, request, reply }) => {
      const parts = [Buffer.from(JSON.stringify(meta)), request, reply]
      const lengths = Buffer.alloc(4 * parts.length)
      for (const [index, { length }] of parts.entries()) lengths.writeUInt32BE(length, 4 * index)
      return [lengths, ...parts]
    }),
  )
}

/** @throws RangeError when the bytes are not what `encodeCaptures` makes */
export function decodeCaptures(bytes: Buffer): readonly CapturedExchange[] {
  const exchanges: CapturedExchange[] = []
  let at = 0
  const take = (length: number) => {
    if (at + length > bytes.length) throw new RangeError('captured exchanges end in the middle of one')
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const lengths = take(12)
    const meta = readMeta(take(lengths.readUInt32BE(0)))
    exchanges.push({ meta, request: take(lengths.readUInt32BE(4)), reply: take(lengths.readUInt32BE(8)) })
  }
  return exchanges
}

/** @throws RangeError for what is no meta */
export function readMeta(bytes: Buffer): CapturedMeta {
  try {
    return CapturedMeta.parse(JSON.parse(bytes.toString()))
  } catch (cause) {
    throw new RangeError('not what is known of a captured exchange', { cause })
  }
}
