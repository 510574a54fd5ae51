import type { Fields } from '@ratchet/service-kit/values/json'
import { answerOf, messageOf, messagesOf, paramsOf, toolsOf } from './bodies.ts'
import {
  countOf,
  type EntryToImport,
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
 * A row of Langfuse: an observation, as its exports to a bucket and from its tables write it, in either spelling of the fields.
 *
 * @see https://langfuse.com/docs/api-and-data-platform/features/blob-storage-export-fields
 */
export function readLangfuse(row: Fields): ReadRow {
  if (row.type !== undefined && row.type !== 'GENERATION') return leftOut('observations that are no generations')
  if (row.level === 'ERROR') return leftOut('failed calls')
  const request = fieldsOf(row.input)
  const messages = messagesOf(request) ?? promptOf(row.input)
  const response = responseOf(row.output)
  if (messages.length === 0 || response === null) return leftOut('generations without input or output')
  const [start, end] = [timeOf(row.start_time, row.startTime), timeOf(row.end_time, row.endTime)]
  const usage = fieldsOf(row.usage_details ?? row.usageDetails)
  const params = fieldsOf(row.model_parameters ?? row.modelParameters)
  return entryOf({
    messages,
    response,
    model: textOf(row.provided_model_name, row.providedModelName, row.model) ?? 'unknown',
    id: textOf(row.id),
    created_at: start,
    trace_id: runOf(row.trace_id, row.traceId),
    span_id: textOf(row.id)?.slice(0, 64),
    parent_span_id: textOf(row.parent_observation_id, row.parentObservationId)?.slice(0, 64),
    conversation_id: textOf(row.session_id, row.sessionId)?.slice(0, 200),
    user: textOf(row.user_id, row.userId),
    metadata: labelsOf({ name: row.name, environment: row.environment, prompt: row.prompt_name ?? row.promptName }),
    tools: toolsOf(request?.tools ?? params?.tools),
    params: paramsOf(params),
    prompt_tokens: countOf(usage?.input, row.input_usage, row.inputUsage),
    completion_tokens: countOf(usage?.output, row.output_usage, row.outputUsage),
    cost_usd: numberOf(row.total_cost, row.totalCost, fieldsOf(row.cost_details ?? row.costDetails)?.total),
    latency_ms: msBetween(start, end),
    ttft_ms: msBetween(start, timeOf(row.completion_start_time, row.completionStartTime)),
  })
}

type Message = EntryToImport['messages'][number]

/** What was sent when it is no body of a request: a list of messages, or a text. */
function promptOf(input: unknown): Message[] {
  const list = listOf(input)
  if (list !== null) return list.flatMap(messageOf)
  const text = textOf(input)
  return text === undefined ? [] : [{ role: 'user', content: text }]
}

/** An answer: the reply of a provider, a message, the last of several, or a text. */
function responseOf(output: unknown): Message | null {
  const reply = fieldsOf(output)
  const answer = answerOf(reply)
  if (answer !== null) return answer.response
  const [message] = messageOf(reply ?? listOf(output)?.at(-1))
  if (message !== undefined) return { ...message, role: 'assistant' }
  const text = reply === null ? textOf(output) : textOf(reply.content, reply.text, reply.completion)
  return text === undefined ? null : { role: 'assistant', content: text }
}
