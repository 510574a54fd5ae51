import type { LogEntry, LogRow } from '@ratchet/contracts/logs'
import { usdToNano } from '@ratchet/contracts/money'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { DrawnPrompt, RecordedFigures } from '../samples/sample.ts'
import { mapInBatches } from './map-in-batches.ts'
import type { PromptRequest, PromptSource, PromptTokens } from './prompt-source.ts'

/** Draws distinct prompts from the log at random. */
export function createLogPrompts(log: Pick<LogReader, 'prompts' | 'entry'>): PromptSource {
  return {
    async survey(order) {
      const { total, distinct, rows } = await drawRows(log, order)
      return { eligible: total, distinct, tokens: rows.map(tokensOf) }
    },
    async draw(order) {
      const { rows } = await drawRows(log, order)
      const entries = await mapInBatches(rows, (row) => log.entry(order.identity, logIdOf(row)))
      return entries.flatMap((entry) => (entry === null ? [] : [{ ...promptOf(entry), cluster: clusterOf(entry) }]))
    },
  }
}

/** Steps of one agent run share their history, so they are not independent. */
function clusterOf({ id, trace_id: traceId }: LogRow): string {
  return traceId === null ? id : `trace ${traceId}`
}

function drawRows(log: Pick<LogReader, 'prompts'>, { identity, request }: PromptRequest) {
  return log.prompts(identity, { filters: logFiltersOf(request), count: request.sample_count, seed: request.seed })
}

/** The filters that apply to the log. */
export function logFiltersOf({ sample_filters: { tag, segment, model } }: PromptRequest['request']) {
  const named = Object.entries({ tag, segment, model }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(named)
}

/** Converts a log entry to a prompt with its stored answer. */
export function promptOf(entry: LogEntry): Omit<DrawnPrompt, 'cluster'> {
  return {
    logId: logIdOf(entry),
    traceId: entry.trace_id,
    stepIndex: entry.step_index,
    segment: entry.segment,
    expiresAt: new Date(entry.expires_at),
    prompt: { messages: entry.messages, tools: entry.tools, responseFormat: entry.response_format },
    reference: entry.response,
    recorded: recordedOf(entry),
  }
}

function recordedOf({ cost_usd: costUsd, latency_ms: latencyMs }: LogRow): RecordedFigures {
  return { costNano: costUsd === null ? null : String(usdToNano(costUsd)), latencyMs }
}

export function tokensOf({ prompt_tokens, completion_tokens }: LogRow): PromptTokens {
  return { prompt: prompt_tokens, completion: completion_tokens }
}

export function logIdOf({ id }: Pick<LogRow, 'id'>): string {
  const uuid = uuidOf('log', id)
  if (uuid === null) throw new Error(`${id} is not the id of a log entry`)
  return uuid
}
