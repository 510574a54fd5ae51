import { answerChat } from '../answers/chat-answer.ts'
import type { ChatChoice } from '../answers/chat-choice.ts'
import type { ChatRequest } from './chat-request.ts'
import { withinLimits } from './model-limits.ts'
import { moderationOf } from './moderation.ts'
import { isObfuscated } from './obfuscation.ts'
import { hostedCalls, type OutputItem, outputItems } from './output-item.ts'
import { type Fields, isFields } from './read-fields.ts'
import { reasoningItems } from './reasoning-item.ts'
import { type Call, createdAt, type Reply } from './reply.ts'
import { readResponsesRequest } from './responses-request.ts'
import { responseFrames } from './responses-stream.ts'
import type { TokenCounts } from './token-counts.ts'
import { reportedUsage, responseUsage, servedTier, shownReasoning, usageOf } from './usage.ts'
import { failureOf } from './wire-error.ts'

/** POST /v1/responses. */
export function answerResponses(call: Call): Reply {
  const request = withinLimits(readResponsesRequest(call.body, call.model.id), call.model)
  const { choice, usage } = thinksToTheLimit(call, request) ?? answered(call, request)
  const items = [
    ...hostedCalls(call.name, call.body),
    ...reasoningItems(call, shownReasoning(usage, call.behaviour)),
    ...outputItems(call.name, choice),
  ]
  const done = responseObject(call, { choice, items, usage: reportedUsage(usage, call.behaviour) })
  if (!request.stream) return { kind: 'json', status: 200, body: JSON.stringify(done), tokens: choice.tokens, usage }
  const begun = responseObject(call, { choice: null, items: [], usage: null })
  return {
    kind: 'stream',
    frames: responseFrames({ begun, done, items, padded: isObfuscated(call.body) }),
    errorFrame: errorFrameOf(),
    usage,
  }
}

interface Answer {
  choice: ChatChoice
  usage: TokenCounts
}

function answered(call: Call, request: ChatRequest): Answer {
  const [choice] = answerChat(call, request)
  if (choice === undefined) throw new Error('a request has at least one choice')
  // The prompt is read again after each call, and the usage is that of all readings.
  const readings = 1 + hostedCalls(call.name, call.body).length
  return { choice, usage: usageOf(request.promptTokens * readings, choice.tokens, call) }
}

/** An answer without text when the reasoning uses up the limit. Null when there is room for an answer. */
function thinksToTheLimit({ behaviour }: Call, { askedTokens, promptTokens }: ChatRequest): Answer | null {
  if (behaviour?.kind !== 'reasoning' || askedTokens === null || askedTokens > behaviour.tokens) return null
  const choice: ChatChoice = { content: null, toolCalls: [], finishReason: 'length', tokens: 0 }
  return { choice, usage: { prompt: promptTokens, completion: askedTokens, cached: 0, reasoning: askedTokens } }
}

function errorFrameOf(): string {
  const { message, code } = failureOf(500)
  const event = { type: 'error', code: code ?? 'server_error', message, param: null, sequence_number: 0 }
  return `event: error\ndata: ${JSON.stringify(event)}\n\n`
}

/** The response object, before the answer (`choice` null) or after it. */
function responseObject(
  call: Call,
  state: { choice: ChatChoice | null; items: OutputItem[]; usage: TokenCounts | null },
) {
  const { choice, items, usage } = state
  const cut = choice?.finishReason === 'length'
  return {
    id: `resp_${call.name.slice(0, 32)}`,
    object: 'response',
    created_at: createdAt(call.name),
    completed_at: choice === null || cut ? null : createdAt(call.name),
    status: choice === null ? 'in_progress' : cut ? 'incomplete' : 'completed',
    background: false,
    access_programs: null,
    conversation: null,
    error: null,
    incomplete_details: cut ? { reason: 'max_output_tokens' } : null,
    ...settingsOf(call.body),
    model: call.model.id,
    ...(choice === null ? {} : moderationOf(call.body)),
    output: items,
    ...(choice !== null && usage === null ? {} : { usage: usage === null ? null : responseUsage(usage) }),
  }
}

/** The request's settings, repeated in the response with OpenAI's defaults. */
function settingsOf(body: Fields) {
  return {
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    metadata: body.metadata ?? {},
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    prompt_cache_retention: body.prompt_cache_retention ?? null,
    reasoning: body.reasoning ?? { effort: null, summary: null },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: servedTier(body),
    store: body.store ?? true,
    temperature: body.temperature ?? 1,
    text: repeatedText(body.text),
    tool_choice: body.tool_choice ?? 'auto',
    tools: Array.isArray(body.tools) ? body.tools.map(repeatedTool) : [],
    top_logprobs: body.top_logprobs ?? 0,
    top_p: body.top_p ?? 1,
    truncation: body.truncation ?? 'disabled',
    presence_penalty: body.presence_penalty ?? 0,
    frequency_penalty: body.frequency_penalty ?? 0,
    ...(body.user === undefined || body.user === null ? {} : { user: body.user }),
  }
}

function repeatedTool(tool: unknown): unknown {
  return isFields(tool) && tool.type === 'function'
    ? { description: null, parameters: null, strict: true, ...tool }
    : tool
}

function repeatedText(text: unknown): unknown {
  if (!isFields(text) || !isFields(text.format)) return text ?? { format: { type: 'text' } }
  const { format } = text
  return format.type === 'json_schema' ? { ...text, format: { description: null, strict: false, ...format } } : text
}
