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

/** Portkey counts costs in cents. */
const centsPerDollar = 100

/**
 * A row of an export of logs by Portkey. Request and answer are the bodies, or objects that have them as `body`.
 *
 * @see https://portkey.ai/docs/product/observability/logs-export
 */
export function readPortkey(row: Fields): ReadRow {
  if (isFailure(row.response_status_code, row.status_code, fieldsOf(row.response)?.status))
    return leftOut('failed calls')
  const request = bodyOf(row.request)
  const chat = chatOf(request, bodyOf(row.response))
  if (chat === null) {
    return leftOut('rows without bodies of a chat (export the fields `request` and `response`)')
  }
  const metadata = fieldsOf(row.metadata)
  const cents = numberOf(row.cost)
  return entryOf({
    ...chat,
    model: textOf(row.ai_model, row.model, request?.model) ?? 'unknown',
    id: textOf(row.id),
    created_at: timeOf(row.created_at, row.time_of_generation),
    requested_model: textOf(request?.model),
    provider: textOf(row.ai_org, row.provider),
    trace_id: runOf(row.trace_id, metadata?.trace_id, metadata?.traceId),
    span_id: textOf(row.span_id)?.slice(0, 64),
    parent_span_id: textOf(row.parent_span_id)?.slice(0, 64),
    user: textOf(metadata?._user, metadata?.user),
    metadata: labelsOf(metadata),
    cached: /^hit/i.test(textOf(row.cache_status) ?? '') ? true : undefined,
    prompt_tokens: countOf(row.prompt_tokens, row.req_units),
    completion_tokens: countOf(row.completion_tokens, row.res_units),
    cost_usd: cents === undefined ? undefined : cents / centsPerDollar,
    latency_ms: numberOf(row.response_time),
  })
}

function bodyOf(value: unknown): Fields | null {
  const fields = fieldsOf(value)
  return fieldsOf(fields?.body) ?? fields
}
