import type { Dialect } from '../../wire/dialect.ts'

/** What a span tells of an answer: names and reasons, nothing of what was said. */
export interface AnswerFacts {
  /** As the provider calls what answered; null when that is not the model that was asked, or a version of it. */
  readonly model: string | null
  /** Those that are known; `other` for what else a provider says. */
  readonly finishReasons: readonly string[]
}

type Json = Readonly<Record<string, unknown>>

/** What an answer is an answer to. */
export interface Asked {
  readonly dialect: Dialect
  /** The model, as the provider was asked for it. */
  readonly upstreamModel: string
}

const conversations: readonly string[] = ['content_filter', 'length', 'max_tokens', 'refusal', 'error']

/** Why answers end, as the providers we speak to say it. */
const knownReasons: Readonly<Record<Dialect, ReadonlySet<string>>> = {
  chat: new Set([...conversations, 'stop', 'tool_calls', 'function_call', 'model_length', 'eos']),
  messages: new Set([
    ...conversations,
    'end_turn',
    'stop_sequence',
    'tool_use',
    'pause_turn',
    'model_context_window_exceeded',
  ]),
  responses: new Set([
    ...conversations,
    'completed',
    'failed',
    'incomplete',
    'in_progress',
    'cancelled',
    'queued',
    'max_output_tokens',
    'max_tool_calls',
  ]),
  embeddings: new Set(),
  rerank: new Set(),
}

/**
 * Reads them from a whole answer in its unstreamed form. A provider may write anything where a name belongs, a key or a
 * word of the prompt too: only what is known beforehand is repeated.
 */
export function readAnswerFacts({ dialect, upstreamModel }: Asked, bytes: Buffer): AnswerFacts {
  const body = parse(bytes)
  const reasons = reasonsIn(dialect, body).filter((reason) => typeof reason === 'string')
  return {
    model: isVersionOf(body.model, upstreamModel) ? body.model : null,
    finishReasons: reasons.map((reason) => (knownReasons[dialect].has(reason) ? reason : 'other')),
  }
}

function reasonsIn(dialect: Dialect, body: Json): readonly unknown[] {
  switch (dialect) {
    case 'chat':
      return Array.isArray(body.choices) ? body.choices.map((choice: Json | null) => choice?.finish_reason) : []
    case 'messages':
      return [body.stop_reason]
    case 'responses':
      return [(body.incomplete_details as Json | null | undefined)?.reason ?? body.status]
    case 'embeddings':
    case 'rerank':
      return []
  }
}

function parse(bytes: Buffer): Json {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Json) : {}
  } catch {
    return {}
  }
}

/** The model itself, or with a date or a number behind it, as in `gpt-4o-2024-08-06`: other endings could be anything. */
function isVersionOf(value: unknown, model: string): value is string {
  if (typeof value !== 'string' || !value.startsWith(model)) return false
  return /^([-@](\d{3,4}|\d{8}|\d{4}-\d{2}-\d{2}))?$/.test(value.slice(model.length))
}
