import { readObject, replyLimits } from '../../wire/chat/read-reply.ts'
import { embeddingsUsage } from '../../wire/embeddings/write-embeddings.ts'
import { editTopLevel } from '../../wire/json/edit-json.ts'
import { type MemberSpan, scanJson } from '../../wire/json/scan-json.ts'
import type { ProviderReply } from '../../wire/provider.ts'
import { unsupportedParameter } from '../../wire/unsupported-parameter.ts'
import { finishWithUsage } from '../finish-with-usage.ts'
import type { Surface } from '../surface.ts'
import { checkEmbeddingsRequest } from './check-embeddings-request.ts'
import { convertVector, type VectorFormat, type WireVector } from './convert-vector.ts'

type Reply = Pick<ProviderReply, 'bytes' | 'scan'>

/** OpenAI's Embeddings. */
export const embeddingsSurface: Surface = {
  dialect: 'embeddings',
  serves: 'embedding',
  readFacts: checkEmbeddingsRequest,
  unsupportedParameter,
  finishReply(reply, charged, { request }) {
    const asked = request.body.encoding_format === 'base64' ? 'base64' : 'float'
    return finishWithUsage(inFormat(reply, asked), charged, embeddingsUsage)
  },
  stream: null,
  errorFrame: (envelope) => `data: ${JSON.stringify(envelope)}\n\n`,
}

/** The reply with its vectors in `asked`. Many providers ignore `encoding_format`; who honours it has its bytes kept. */
function inFormat(reply: Reply, asked: VectorFormat): Reply {
  if (formatOf(reply) === asked) return reply
  const data = (readObject(reply.bytes)?.body.data ?? []) as readonly { embedding: WireVector }[]
  const converted = data.map((item) => ({ ...item, embedding: convertVector(item.embedding, asked) }))
  const bytes = editTopLevel(reply.bytes, reply.scan, { data: JSON.stringify(converted) })
  const scan = scanJson(bytes, replyLimits)
  if (!scan.ok) throw new Error(`converted embeddings cannot be scanned: ${scan.reason}`)
  return { bytes, scan }
}

const keyAndColon = /"embedding"\s*:\s*(["[])/
/** Bytes of the list within which its first vector begins. */
const firstVectorWithin = 4_096

/** By the first vector, without parsing the others, which may be megabytes; null when that does not tell. */
function formatOf({ bytes, scan }: Reply): VectorFormat | null {
  const span: MemberSpan | undefined = scan.topLevel.get('data')
  if (span === undefined) return null
  const start = bytes.toString('latin1', span.start, Math.min(span.end, span.start + firstVectorWithin))
  const opening = keyAndColon.exec(start)?.[1]
  if (opening === undefined) return null
  return opening === '"' ? 'base64' : 'float'
}
