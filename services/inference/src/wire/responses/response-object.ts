import { asList, asObject, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import type { Body } from '../dialect.ts'
import type { ProviderRequest } from '../provider.ts'
import type { Usage } from '../usage.ts'
import type { OutputItem } from './output-item.ts'
import { responseIdOf } from './response-id.ts'
import { wireResponseUsage } from './response-usage.ts'

/** The members of a chat completion that a response object repeats. */
export interface ResponseHead {
  /** Unix seconds. */
  readonly created: number
  /** The model's name at the provider. */
  readonly model: string
}

export interface ResponseState {
  readonly status: 'in_progress' | 'completed' | 'incomplete'
  /** Why the response is incomplete. */
  readonly reason?: 'max_output_tokens' | 'content_filter'
  readonly output: readonly OutputItem[]
  readonly usage: Usage | null
}

/** A response object with everything that OpenAI repeats of the request, including defaults. */
export function responseObject({ requestId, body }: ProviderRequest, head: ResponseHead, state: ResponseState): object {
  const { status, reason, output, usage } = state
  return {
    id: responseIdOf(requestId),
    object: 'response',
    created_at: head.created,
    completed_at: null, // the surface states it with the charge
    status,
    background: false,
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    ...settingsOf(body),
    model: head.model,
    output,
    usage: usage === null ? null : wireResponseUsage(usage),
  }
}

function settingsOf(body: Body): Fields {
  const text = asObject(body.text)
  const reasoning = asObject(body.reasoning)
  return {
    ...sharedSettings(body),
    access_programs: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    reasoning: { ...reasoning, effort: reasoning?.effort ?? null, summary: reasoning?.summary ?? null },
    service_tier: body.service_tier ?? 'default',
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: { ...text, format: repeatedFormat(text?.format) },
    tool_choice: body.tool_choice ?? 'auto',
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
  }
}

/** Settings that compatible providers leave out of their response objects, or give in another form than OpenAI. */
export function sharedSettings(body: Body): Fields {
  return {
    frequency_penalty: body.frequency_penalty ?? 0,
    presence_penalty: body.presence_penalty ?? 0,
    prompt_cache_key: body.prompt_cache_key ?? null,
    safety_identifier: body.safety_identifier ?? null,
    tools: asList(body.tools).map(repeatedTool),
    top_logprobs: body.top_logprobs ?? 0,
    ...(isAbsent(body.user) ? {} : { user: body.user }), // it is a text or missing, never null
  }
}

/** OpenAI repeats a function with all of its members. */
function repeatedTool(value: unknown): unknown {
  const tool = asObject(value)
  if (tool?.type !== 'function') return value
  return {
    ...tool,
    description: tool.description ?? null,
    parameters: tool.parameters ?? null,
    strict: tool.strict ?? null,
  }
}

/** The same for the format of the text. */
function repeatedFormat(value: unknown): unknown {
  const format = asObject(value)
  if (format?.type !== 'json_schema') return value ?? { type: 'text' }
  return { ...format, description: format.description ?? null, strict: format.strict ?? false }
}

/** The head of a chat completion or of a chunk; absent members are empty. */
export function readHead({ created, model }: Fields): ResponseHead {
  const isTime = typeof created === 'number' && Number.isFinite(created) && created >= 0
  return { created: isTime ? Math.floor(created) : 0, model: typeof model === 'string' ? model : '' }
}

/** The end of a response for a chat completion's `finish_reason`. */
export function endOf(finishReason: unknown): Pick<ResponseState, 'reason'> & { status: 'completed' | 'incomplete' } {
  if (finishReason === 'length') return { status: 'incomplete', reason: 'max_output_tokens' }
  if (finishReason === 'content_filter') return { status: 'incomplete', reason: 'content_filter' }
  return { status: 'completed' }
}
