import type { ImportedLog } from '@ratchet/contracts/log-import'
import { usdToNano } from '@ratchet/contracts/money'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { idOfText } from '@ratchet/service-kit/values/deterministic-id'
import { asObject, isAbsent } from '@ratchet/service-kit/values/json'
import type { RawContent, RawExchange, UnsegmentedExchange } from '../exchanges/raw-exchange.ts'

export interface ImportContext {
  readonly workspaceId: string
  readonly retentionDays: number
  /** Id of the row: a UUID of version 7, which contains the time of the import. */
  readonly id: string
  readonly at: Date
}

/** The members of an entry that identify it. */
export interface ImportIdentity {
  /** The id of the entry; null when it has none. */
  readonly id: string | null
  /** The entry has a time of creation. */
  readonly isDated: boolean
}

/**
 * The request id of an imported entry, a UUID. It is derived from the entry's id, or else from its redacted content, so
 * that it reveals nothing of a secret.
 */
export function importRequestId(exchange: UnsegmentedExchange, { id, isDated }: ImportIdentity): string {
  const { workspaceId, content, servedModel, tag, traceId, spanId, createdAt } = exchange
  const identifying = [content, servedModel, tag, traceId, spanId, isDated ? createdAt : null]
  return idOfText(`${workspaceId} import ${id ?? JSON.stringify(identifying)}`)
}

/**
 * Converts an imported entry to an exchange, before redaction. Its retention begins with the import, however old it is.
 */
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
    conversationId: line.conversation_id ?? null,
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

const contentMembers = ['messages', 'response', 'tools', 'response_format', 'params'] as const

/**
 * A valid entry with all numbers in its content as they were written. Facts such as counts of tokens stay ordinary numbers.
 *
 * @param exact the entry as `parseExact` reads it
 */
export function withExactContent(line: ImportedLog, exact: unknown): ImportedLog {
  const read = asObject(exact) ?? {}
  const content = contentMembers.filter((name) => line[name] !== undefined).map((name) => [name, read[name]])
  return { ...line, ...Object.fromEntries(content) }
}

/** The last message of a training example is the response. */
function contentOf(line: ImportedLog): RawContent {
  const { messages, response, tools = null, response_format: responseFormat = null, params } = line
  const parallel = line.parallel_tool_calls ?? null
  return {
    messages: response === undefined ? messages.slice(0, -1) : messages,
    response: response ?? messages.at(-1) ?? {},
    tools,
    responseFormat,
    params: {
      ...params,
      ...(parallel === null ? {} : { parallel_tool_calls: parallel }),
      ...(isAbsent(line.user) ? {} : { user: line.user }),
      ...(Object.keys(line.metadata ?? {}).length === 0 ? {} : { metadata: line.metadata }),
    },
  }
}

function providerOf(model: string): string {
  const [provider, ...rest] = model.split('/')
  return rest.length === 0 || provider === undefined || provider === '' ? 'unknown' : provider.slice(0, 64)
}
