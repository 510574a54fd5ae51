import type { Pool } from '@ratchet/db/connect-pool'
import type { ExchangeContent, LoggedExchange, WholeExchange } from '../domain/logged-exchange.ts'
import { insertExchanges } from './exchange-statements.ts'
import { createPartitions, expiryDay } from './partitions.ts'

export interface Given extends Partial<Omit<LoggedExchange, 'id'>> {
  readonly content?: Partial<ExchangeContent>
}

const messages = JSON.stringify([
  { role: 'system', content: 'Answer in one word.' },
  { role: 'user', content: 'What is the capital of France?' },
])
const response = JSON.stringify({ role: 'assistant', content: 'Paris' })
const dayMs = 86_400_000

/** Puts exchanges into the log, a day younger than their retention of a week unless said otherwise. Resolves with their ids. */
export async function giveExchanges(
  pool: Pool,
  { workspaceId, at }: { readonly workspaceId: string; readonly at: Date },
  given: readonly Given[],
): Promise<readonly string[]> {
  const rows = given.map((each) => wholeExchange(workspaceId, at, each))
  await createPartitions(pool).ensure(rows.map(({ expiresAt }) => expiryDay(expiresAt)))
  await pool.query(insertExchanges(rows))
  return rows.map(({ id }) => id)
}

function wholeExchange(workspaceId: string, at: Date, { content, ...given }: Given): WholeExchange {
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
    ...given,
    content: { messages, response, tools: null, responseFormat: null, params: '{"temperature":0}', ...content },
  }
}
