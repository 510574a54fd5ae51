import { editTopLevel } from '@ratchet/service-kit/json/edit-json'
import { type MemberSpan, scanJson } from '@ratchet/service-kit/json/scan-json'
import { readObject, replyLimits } from '../../wire/chat/read-reply.ts'
import { embeddingsUsage } from '../../wire/embeddings/write-embeddings.ts'
import type { ReplyBytes } from '../../wire/provider.ts'
import { unsupportedParameter } from '../../wire/unsupported-parameter.ts'
import { finishWithUsage } from '../finish-with-usage.ts'
import type { Surface } from '../surface.ts'
import { checkEmbeddingsRequest } from './check-embeddings-request.ts'
import { convertVector, type VectorFormat, type WireVector } from './convert-vector.ts'

/** The Embeddings API of OpenAI. */
export const embeddingsSurface: Surface = {
  dialect: 'embeddings',
  serves: 'embedding',
  readFacts: checkEmbeddingsRequest,
  unsupportedParameter,
  finishReply(reply, charged, { request }) {
    const requested = request.body.encoding_format === 'base64' ? 'base64' : 'float'
    return finishWithUsage(inFormat(reply, requested), charged, embeddingsUsage)
  },
  stream: null,
  errorFrame: (envelope) => `data: ${JSON.stringify(envelope)}\n\n`,
}

/**
 * The reply with its vectors in the requested format. Many providers ignore `encoding_format`; a reply of those that
 * honour it is returned unchanged.
 */
function inFormat(reply: ReplyBytes, requested: VectorFormat): ReplyBytes {
  if (formatOf(reply) === requested) return reply
  const data = (readObject(reply.bytes)?.body.data ?? []) as readonly { embedding: WireVector }[]
  const converted = data.map((item) => ({ ...item, embedding: convertVector(item.embedding, requested) }))
  const bytes = editTopLevel(reply.bytes, reply.scan, { data: JSON.stringify(converted) })
  const scan = scanJson(bytes, replyLimits)
  if (!scan.ok) throw new Error(`converted embeddings cannot be scanned: ${scan.reason}`)
  return { bytes, scan }
}

const keyAndColon = /"embedding"\s*:\s*(["[])/
/** Number of bytes in which the first vector of a list must begin. */
const firstVectorWithin = 4_096

/**
 * The format of the first vector. The others are not parsed, because they may be megabytes. Null when it cannot be
 * seen.
 */
function formatOf({ bytes, scan }: ReplyBytes): VectorFormat | null {
  const span: MemberSpan | undefined = scan.topLevel.get('data')
  if (span === undefined) return null
  const start = bytes.toString('latin1', span.start, Math.min(span.end, span.start + firstVectorWithin))
  const opening = keyAndColon.exec(start)?.[1]
  if (opening === undefined) return null
  return opening === '"' ? 'base64' : 'float'
}
