import { asObject, type Fields, parseJson } from '@ratchet/service-kit/values/json'
import type { Dialect } from '../../wire/dialect.ts'

/** The facts of an answer that a span contains: names and reasons, but no text of the answer. */
export interface AnswerFacts {
  /** The provider's name of the model that answered; null when that is not the requested model or a version of it. */
  readonly model: string | null
  /** The known finish reasons; `other` for an unknown one. */
  readonly finishReasons: readonly string[]
}

/** The request that was answered. */
export interface AnsweredRequest {
  readonly dialect: Dialect
  /** The model's name in the request to the provider. */
  readonly upstreamModel: string
}

const conversations: readonly string[] = ['content_filter', 'length', 'max_tokens', 'refusal', 'error']

/** The finish reasons that providers use, by dialect. */
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
  moderations: new Set(),
  images: new Set(),
  speech: new Set(),
  transcriptions: new Set(),
}

/**
 * Reads the facts from a complete, unstreamed answer. A provider may write anything in place of a name, even an API key
 * or text of the prompt, so only values that are known beforehand are repeated.
 */
export function readAnswerFacts({ dialect, upstreamModel }: AnsweredRequest, bytes: Buffer): AnswerFacts {
  const body = asObject(parseJson(bytes.toString('utf8'))) ?? {}
  const reasons = reasonsIn(dialect, body).filter((reason) => typeof reason === 'string')
  return {
    model: isVersionOf(body.model, upstreamModel) ? body.model : null,
    finishReasons: reasons.map((reason) => (knownReasons[dialect].has(reason) ? reason : 'other')),
  }
}

function reasonsIn(dialect: Dialect, body: Fields): readonly unknown[] {
  switch (dialect) {
    case 'chat':
      return Array.isArray(body.choices) ? body.choices.map((choice: Fields | null) => choice?.finish_reason) : []
    case 'messages':
      return [body.stop_reason]
    case 'responses':
      return [(body.incomplete_details as Fields | null | undefined)?.reason ?? body.status]
    default:
      return []
  }
}

/**
 * True for the model itself, and for its name followed by a date or number, as in `gpt-4o-2024-08-06`. Any other ending
 * could be anything.
 */
function isVersionOf(value: unknown, model: string): value is string {
  if (typeof value !== 'string' || !value.startsWith(model)) return false
  return /^([-@](\d{3,4}|\d{8}|\d{4}-\d{2}-\d{2}))?$/.test(value.slice(model.length))
}
