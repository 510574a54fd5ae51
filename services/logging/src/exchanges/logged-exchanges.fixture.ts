import type { Pool } from '@ratchet/db/connect-pool'
import { inTransaction } from '@ratchet/db/in-transaction'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { clientMetadataIn, withClientMetadataWords } from './client-metadata.ts'
import { exchangeWords } from './exchange-words.ts'
import { expiryDay } from './expiry-day.ts'
import type { ExchangeContent, LoggedExchange, WholeExchange } from './logged-exchange.ts'
import { storeWithContent } from './pg-exchange-blocks.ts'
import { createPartitions } from './pg-partitions.ts'

export interface ExchangeFields extends Partial<Omit<LoggedExchange, 'id'>> {
  readonly content?: Partial<ExchangeContent>
}

const messages = JSON.stringify([
  { role: 'system', content: 'Answer in one word.' },
  { role: 'user', content: 'What is the capital of France?' },
])
const response = JSON.stringify({ role: 'assistant', content: 'Paris' })

/**
 * Stores exchanges that are a day old and expire in six days, unless `fields` says otherwise. Resolves with their ids.
 */
export async function storeExchanges(
  pool: Pool,
  { workspaceId, at }: { readonly workspaceId: string; readonly at: Date },
  fields: readonly ExchangeFields[],
  { isInBlocks = true } = {},
): Promise<readonly string[]> {
  const rows = fields.map((each) => wholeExchange(workspaceId, at, each))
  await createPartitions(pool).ensure(rows.map(({ expiresAt }) => expiryDay(expiresAt)))
  await inTransaction(pool, (client) => storeWithContent(client, rows, isInBlocks ? () => crypto.randomUUID() : null))
  return rows.map(({ id }) => id)
}

/** An exchange that is a day old and expires in six days, unless `fields` says otherwise. */
export function wholeExchange(workspaceId: string, at: Date, { content, ...fields }: ExchangeFields): WholeExchange {
  const texts = { messages, response, tools: null, responseFormat: null, params: '{"temperature":0}', ...content }
  return {
    id: crypto.randomUUID(),
    workspaceId,
    requestId: crypto.randomUUID(),
    createdAt: new Date(at.getTime() - dayMs),
    expiresAt: new Date(at.getTime() + 6 * dayMs),
    source: 'gateway',
    servedModel: 'acme/large',
    requestedModel: 'large',
    provider: 'acme',
    alias: null,
    canary: false,
    fallbackFrom: null,
    tag: null,
    traceId: null,
    spanId: null,
    parentSpanId: null,
    conversationId: null,
    segment: 'seg-a',
    segmentExact: 'exact-a',
    finishReason: 'stop',
    stream: false,
    cached: false,
    hasToolCalls: false,
    promptTokens: 10,
    completionTokens: 5,
    reasoningTokens: null,
    costNano: 1_000_000n,
    latencyMs: 12.5,
    ttftMs: null,
    redactionCount: 0,
    redactionKinds: [],
    sizeBytes: 200,
    promptHash: Buffer.alloc(32),
    ...fields,
    content: texts,
    blockId: null,
    words: withClientMetadataWords(workspaceId, exchangeWords(workspaceId, texts.messages, texts.response), {
      ...clientMetadataIn(JSON.parse(texts.params)),
      conversationId: fields.conversationId ?? null,
    }),
  }
}
