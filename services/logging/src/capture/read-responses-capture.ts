import { asObject, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import type { ChatMessage } from '../chat-form/chat-message.ts'
import { joinAnswers } from '../chat-form/join-answers.ts'
import { readMessages } from '../chat-form/read-messages.ts'
import { readTools } from '../chat-form/read-tools.ts'
import { type CaptureContent, readCount } from './capture-content.ts'

/** Parameters that have the same name and meaning in a chat completion. */
const sameMeaning = ['temperature', 'top_p', 'top_logprobs', 'parallel_tool_calls'] as const

/**
 * Reads request and answer of the Responses API in the form of a chat completion. The request has the earlier responses
 * of its chain in `input`.
 *
 * @throws RangeError when they are not such a request and its answer
 */
export function readResponsesCapture(requested: Fields, replied: Fields): CaptureContent {
  const { input, instructions } = requested
  if (isAbsent(input) || !Array.isArray(replied.output)) throw new RangeError('not a response')
  const said = readMessages(replied.output, 'assistant').filter(({ role }) => role === 'assistant')
  const answer = joinAnswers(said) ?? noAnswer
  return {
    finishReason: finishReason(replied, 'tool_calls' in answer),
    ...readTokens(asObject(replied.usage)),
    content: {
      messages: readMessages(isAbsent(instructions) ? { input } : { instructions, input }, 'user'),
      response: { ...answer },
      tools: readTools(requested.tools),
      responseFormat: responseFormat(asObject(requested.text)),
      params: readParams(requested),
    },
  }
}

const noAnswer: ChatMessage = { role: 'assistant', content: null }

function finishReason({ status, incomplete_details: details }: Fields, callsTools: boolean): string | null {
  const reason = asObject(details)?.reason
  if (status === 'incomplete') return reason === 'max_output_tokens' ? 'length' : 'content_filter'
  if (status !== 'completed') return null
  return callsTools ? 'tool_calls' : 'stop'
}

function readTokens(usage: Fields | null) {
  return {
    promptTokens: readCount(usage?.input_tokens) ?? 0,
    completionTokens: readCount(usage?.output_tokens) ?? 0,
    reasoningTokens: readCount(asObject(usage?.output_tokens_details)?.reasoning_tokens),
  }
}

function responseFormat(text: Fields | null): unknown {
  const { type, ...schema } = asObject(text?.format) ?? {}
  if (type === 'json_object') return { type }
  return type === 'json_schema' ? { type, json_schema: schema } : null
}

function readParams(requested: Fields): Fields {
  const { max_output_tokens: maxTokens, reasoning, text, tool_choice: choice } = requested
  const effort = asObject(reasoning)?.effort
  const verbosity = asObject(text)?.verbosity
  const set = sameMeaning.filter((name) => !isAbsent(requested[name]))
  return {
    ...Object.fromEntries(set.map((name) => [name, requested[name]])),
    ...(isAbsent(maxTokens) ? {} : { max_completion_tokens: maxTokens }),
    ...(isAbsent(effort) ? {} : { reasoning_effort: effort }),
    ...(isAbsent(verbosity) ? {} : { verbosity }),
    ...chatChoice(choice),
  }
}

/** A choice that a chat completion cannot have, such as of a tool that the provider runs, is left out. */
function chatChoice(choice: unknown): Fields {
  if (typeof choice === 'string') return { tool_choice: choice }
  const { type, name } = asObject(choice) ?? {}
  return type === 'function' || type === 'custom' ? { tool_choice: { type: 'function', function: { name } } } : {}
}
