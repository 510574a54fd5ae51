import type { ImportedLog } from '@ratchet/contracts/log-import'
import { usdToNano } from '@ratchet/contracts/money'
import type { RawContent, RawExchange, UnsegmentedExchange } from '../raw-exchange.ts'
import { uuidV8 } from '../uuid-v8.ts'

export interface ImportContext {
  readonly workspaceId: string
  readonly retentionDays: number
  /** Of the row; a UUID of version 7, which tells when it was imported. */
  readonly id: string
  readonly at: Date
}

/** What an entry is known by. */
export interface ImportIdentity {
  /** As the entry says it; null where it says none. */
  readonly id: string | null
  /** Whether the entry says when it was made. */
  readonly isDated: boolean
}

const dayMs = 86_400_000

/**
 * The request that an imported entry counts as, a UUID: by its id, else by what it says once it is redacted, so that the
 * request's id tells of no secret.
 */
export function importRequestId(exchange: UnsegmentedExchange, { id, isDated }: ImportIdentity): string {
  const { workspaceId, content, servedModel, tag, traceId, spanId, createdAt } = exchange
  const said = [content, servedModel, tag, traceId, spanId, isDated ? createdAt : null]
  return uuidV8(`${workspaceId} import ${id ?? JSON.stringify(said)}`)
}

/** The exchange that an imported entry tells of, nothing of it redacted. It is kept from its import on, however old it is. */
export function rawExchange(line: ImportedLog, { workspaceId, retentionDays, id, at }: ImportContext): RawExchange {
  const model = line.model ?? line.served_model ?? 'unknown'
  return {
    id,
    workspaceId,
    requestId: id,
    source: 'import',
    createdAt: line.created_at ?? at,
    expiresAt: new Date(at.getTime() + retentionDays * dayMs),
    servedModel: model,
    requestedModel: line.requested_model ?? model,
    provider: line.provider ?? providerOf(model),
    alias: line.alias ?? null,
    canary: line.canary ?? false,
    fallbackFrom: line.fallback_from ?? null,
    tag: line.tag ?? null,
    traceId: line.trace_id ?? null,
    spanId: line.span_id ?? null,
    parentSpanId: line.parent_span_id ?? null,
    conversationId: null,
    finishReason: line.finish_reason ?? null,
    stream: line.stream ?? false,
    cached: line.cached ?? false,
    promptTokens: line.prompt_tokens ?? 0,
    completionTokens: line.completion_tokens ?? 0,
    reasoningTokens: line.reasoning_tokens ?? null,
    costNano: typeof line.cost_usd === 'number' ? usdToNano(line.cost_usd) : null,
    latencyMs: line.latency_ms ?? 0,
    ttftMs: line.ttft_ms ?? null,
    content: contentOf(line),
  }
}

/** Of a training example the last message is the response. */
function contentOf(line: ImportedLog): RawContent {
  const { messages, response, tools = null, response_format: responseFormat = null, params } = line
  const parallel = line.parallel_tool_calls ?? null
  return {
    messages: response === undefined ? messages.slice(0, -1) : messages,
    response: response ?? messages.at(-1) ?? {},
    tools,
    responseFormat,
    params: { ...params, ...(parallel === null ? {} : { parallel_tool_calls: parallel }) },
  }
}

function providerOf(model: string): string {
  const [provider, ...rest] = model.split('/')
  return rest.length === 0 || provider === undefined || provider === '' ? 'unknown' : provider.slice(0, 64)
}
