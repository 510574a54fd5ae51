import { answerOf, messagesOf, paramsOf } from './bodies.ts'
import {
  countOf,
  entryOf,
  type Fields,
  fieldsOf,
  labelsOf,
  leftOut,
  listOf,
  numberOf,
  type ReadRow,
  runOf,
  textOf,
  timeOf,
} from './exchange.ts'

/**
 * A row of Helicone, as `@helicone/export --include-body` and its API write it.
 *
 * @see https://docs.helicone.ai/tools/export
 */
export function readHelicone(row: Fields): ReadRow {
  const status = numberOf(row.response_status, row.status)
  if (status !== undefined && status >= 400) return leftOut('failed calls')
  const request = fieldsOf(row.request_body)
  const messages = messagesOf(request)
  const answer = answerOf(fieldsOf(row.response_body))
  if (messages === null || answer === null) return leftOut('rows without bodies of a chat (export with --include-body)')
  const properties = fieldsOf(row.request_properties ?? row.properties)
  const tools = listOf(request?.tools)
  return entryOf({
    messages,
    response: answer.response,
    model: textOf(row.response_model, row.model, row.request_model, request?.model) ?? 'unknown',
    id: textOf(row.request_id),
    created_at: timeOf(row.request_created_at, row.created_at),
    requested_model: textOf(row.request_model, request?.model),
    provider: textOf(row.provider)?.toLowerCase(),
    finish_reason: answer.finishReason,
    trace_id: runOf(properties?.['Helicone-Session-Id']),
    user: textOf(row.request_user_id, row.user_id),
    metadata: labelsOf(properties),
    tools: tools === null ? undefined : [...tools],
    params: paramsOf(request),
    stream: request?.stream === true ? true : undefined,
    cached:
      row.cache_enabled === true || textOf(row.cache_reference_id)?.startsWith('0000') === false ? true : undefined,
    prompt_tokens: countOf(row.prompt_tokens),
    completion_tokens: countOf(row.completion_tokens),
    cost_usd: numberOf(row.costUSD, row.cost_usd, row.cost),
    latency_ms: numberOf(row.delay_ms, row.latency),
    ttft_ms: numberOf(row.time_to_first_token),
  })
}
