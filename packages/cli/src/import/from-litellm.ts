import type { Fields } from '@ratchet/service-kit/values/json'
import { answerOf, messagesOf, paramsOf, toolsOf } from './bodies.ts'
import {
  countOf,
  entryOf,
  fieldsOf,
  labelsOf,
  leftOut,
  listOf,
  msBetween,
  numberOf,
  type ReadRow,
  runOf,
  textOf,
  timeOf,
} from './exchange.ts'

/**
 * A row of LiteLLM: a `StandardLoggingPayload`, as its loggers for buckets write it, or a row of the table `LiteLLM_SpendLogs`.
 *
 * @see https://docs.litellm.ai/docs/proxy/logging_spec
 */
export function readLiteLlm(row: Fields): ReadRow {
  const status = textOf(row.status, fieldsOf(row.metadata)?.status)
  if (status === 'failure') return leftOut('failed calls')
  const request = fieldsOf(row.proxy_server_request)
  const messages = messagesOf({ messages: listOf(row.messages) ?? request?.messages ?? null, system: request?.system })
  const answer = answerOf(fieldsOf(row.response))
  if (messages === null || messages.length === 0 || answer === null) {
    return leftOut('rows without content (LiteLLM stores it with `store_prompts_in_spend_logs`)')
  }
  const [start, end] = [timeOf(row.startTime, row.start_time), timeOf(row.endTime, row.end_time)]
  const params = fieldsOf(row.model_parameters) ?? request
  return entryOf({
    messages,
    response: answer.response,
    model: textOf(row.model) ?? 'unknown',
    id: textOf(row.request_id, row.id),
    created_at: start,
    requested_model: textOf(row.model_group),
    provider: textOf(row.custom_llm_provider),
    finish_reason: answer.finishReason,
    trace_id: runOf(row.trace_id, row.session_id),
    user: textOf(row.end_user),
    metadata: labelsOf(tagsOf(listOf(row.request_tags))),
    tools: toolsOf(params?.tools),
    params: paramsOf(params),
    cached: String(row.cache_hit).toLowerCase() === 'true' ? true : undefined,
    prompt_tokens: countOf(row.prompt_tokens),
    completion_tokens: countOf(row.completion_tokens),
    cost_usd: numberOf(row.response_cost, row.spend),
    latency_ms: msBetween(start, end),
    ttft_ms: msBetween(start, timeOf(row.completionStartTime)),
  })
}

function tagsOf(tags: readonly unknown[] | null): Fields | null {
  return tags === null || tags.length === 0 ? null : { tags: tags.join(', ') }
}
