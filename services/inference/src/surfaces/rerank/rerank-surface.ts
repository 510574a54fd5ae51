import { formatUsd } from '@ratchet/contracts/money'
import { asObject, type Fields } from '@ratchet/service-kit/values/json'
import { readObject } from '../../wire/chat/read-reply.ts'
import type { RerankBody, RerankDocument } from '../../wire/rerank/document-text.ts'
import { type RankedIndex, readRanking } from '../../wire/rerank/read-rerank-reply.ts'
import { unsupportedParameter } from '../../wire/unsupported-parameter.ts'
import type { AnswerContext, Charged, Surface } from '../surface.ts'
import { checkRerankRequest } from './check-rerank-request.ts'

/**
 * The rerank API. Cohere, Jina, Together and vLLM differ; an answer has the fields that the clients of all of them
 * read.
 */
export const rerankSurface: Surface = {
  dialect: 'rerank',
  serves: 'rerank',
  readFacts: checkRerankRequest,
  unsupportedParameter,
  finishReply: ({ bytes }, charged, context) => writeRerank(readObject(bytes)?.body ?? {}, charged, context),
  stream: null,
  errorFrame: (envelope) => `data: ${JSON.stringify(envelope)}\n\n`,
}

function writeRerank(reply: Fields, charged: Charged, { request }: AnswerContext): Buffer {
  const { searches, promptTokens } = charged.usage
  const units = searches === 0 ? {} : { search_units: searches }
  const meta = asObject(reply.meta)
  return Buffer.from(
    JSON.stringify({
      object: 'rerank',
      id: textOr(reply.id, `rerank-${request.requestId}`),
      model: textOr(reply.model, request.model.id),
      results: pickResults(readRanking(reply) ?? [], request.body as unknown as RerankBody),
      usage: {
        prompt_tokens: promptTokens,
        total_tokens: promptTokens,
        ...units,
        cost_usd: Number(formatUsd(charged.chargedNano)),
      },
      meta: {
        ...meta,
        api_version: asObject(meta?.api_version) ?? { version: '2' },
        billed_units: { ...asObject(meta?.billed_units), search_units: undefined, ...units },
      },
    }),
  )
}

/** The best `top_n` documents of the request, each at most once. Equal scores stay in the order of the provider. */
function pickResults(ranking: readonly RankedIndex[], { documents, top_n, return_documents }: RerankBody): object[] {
  const seen = new Set<number>()
  const valid = ranking.filter(({ index }) => index < documents.length && !seen.has(index) && seen.add(index))
  const best = valid.sort((left, right) => right.score - left.score).slice(0, top_n ?? documents.length)
  return best.map(({ index, score }) => ({
    index,
    relevance_score: score,
    ...(return_documents === true ? { document: asDocument(documents[index] ?? '') } : {}),
  }))
}

function asDocument(document: RerankDocument): object {
  return typeof document === 'string' ? { text: document } : document
}

function textOr(value: unknown, other: string): string {
  return typeof value === 'string' && value !== '' ? value : other
}
