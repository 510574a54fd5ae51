import type { Fields } from '@ratchet/service-kit/values/json'
import { chatOf, isFailure } from './bodies.ts'
import {
  countOf,
  entryOf,
  fieldsOf,
  labelsOf,
  leftOut,
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
  if (isFailure(row.response_status, row.status)) return leftOut('failed calls')
  const request = fieldsOf(row.request_body)
  const chat = chatOf(request, fieldsOf(row.response_body))
  if (chat === null) return leftOut('rows without bodies of a chat (export with --include-body)')
  const properties = fieldsOf(row.request_properties ?? row.properties)
  return entryOf({
    ...chat,
    model: textOf(row.response_model, row.model, row.request_model, request?.model) ?? 'unknown',
    id: textOf(row.request_id),
    created_at: timeOf(row.request_created_at, row.created_at),
    requested_model: textOf(row.request_model, request?.model),
    provider: textOf(row.provider)?.toLowerCase(),
    trace_id: runOf(properties?.['Helicone-Session-Id']),
    user: textOf(row.request_user_id, row.user_id),
    metadata: labelsOf(properties),
    cached:
      row.cache_enabled === true || textOf(row.cache_reference_id)?.startsWith('0000') === false ? true : undefined,
    prompt_tokens: countOf(row.prompt_tokens),
    completion_tokens: countOf(row.completion_tokens),
    cost_usd: numberOf(row.costUSD, row.cost_usd, row.cost),
    latency_ms: numberOf(row.delay_ms, row.latency),
    ttft_ms: numberOf(row.time_to_first_token),
  })
}
