import type { LogEntry } from '@ratchet/contracts/logs'
import { publicId } from '@ratchet/contracts/public-id'
import { callerOf } from '../runs/caller.ts'
import { evalRequest, newEval, question, reply } from '../runs/eval.fixture.ts'
import type { PromptRequest } from './prompt-source.ts'

/** A prompt request of a workspace. */
export function orderOf(more: Parameters<typeof evalRequest>[0] = {}): PromptRequest {
  return { identity: callerOf(newEval(), 'eval'), request: evalRequest(more) }
}

/** UUID of the entry with this number. */
export function logUuid(place: number): string {
  return `00000000-0000-7000-8000-${String(place).padStart(12, '0')}`
}

/** A log entry identified by its number. */
export function logEntry(place: number, more: Partial<LogEntry> = {}): LogEntry {
  return {
    object: 'log',
    id: publicId('log', logUuid(place)),
    model: 'sim/medium',
    served_model: 'sim/medium',
    created_at: '2026-11-01T00:00:00.000Z',
    expires_at: '2026-12-01T00:00:00.000Z',
    requested_model: 'sim/medium',
    alias: null,
    canary: false,
    fallback_from: null,
    provider: 'sim',
    tag: null,
    trace_id: null,
    span_id: null,
    parent_span_id: null,
    conversation_id: null,
    step_index: null,
    segment: 'none',
    segment_exact: 'none',
    finish_reason: 'stop',
    stream: false,
    cached: false,
    prompt_tokens: 10 + place,
    completion_tokens: place,
    total_tokens: 10 + 2 * place,
    reasoning_tokens: null,
    cost_usd: 0.000_02,
    latency_ms: 120.5,
    ttft_ms: null,
    redaction: { count: 0, kinds: [] },
    source: 'gateway',
    messages: [question(`Question ${place}?`)],
    response: reply(`Answer ${place}.`),
    tools: null,
    response_format: null,
    params: { temperature: 1 },
    user: null,
    metadata: {},
    ...more,
  }
}
