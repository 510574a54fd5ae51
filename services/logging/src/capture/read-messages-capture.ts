import { asObject, type Fields, isAbsent } from '@ratchet/service-kit/values/json'
import { chatFinishReason } from '../chat-form/finish-reason.ts'
import { readAnswer, readMessages } from '../chat-form/read-messages.ts'
import { readTools } from '../chat-form/read-tools.ts'
import { type CaptureContent, readCount, readName } from './capture-content.ts'

/** Parameters that have the same name and meaning in a chat completion. */
const sameMeaning = ['temperature', 'top_p', 'top_k', 'max_tokens'] as const

/**
 * Reads request and answer of the Messages API in the form of a chat completion.
 *
 * @throws RangeError when they are not such a request and its answer
 */
export function readMessagesCapture(requested: Fields, replied: Fields): CaptureContent {
  const { messages, system } = requested
  const response = Array.isArray(replied.content) ? readAnswer([{ ...replied, role: 'assistant' }]) : null
  if (!Array.isArray(messages) || response === null) throw new RangeError('not a message')
  return {
    finishReason: chatFinishReason(readName(replied.stop_reason)),
    ...readTokens(asObject(replied.usage)),
    content: {
      messages: readMessages(isAbsent(system) ? messages : { system, messages }, 'user'),
      response: { ...response },
      tools: readTools(requested.tools),
      responseFormat: responseFormat(requested),
      params: readParams(requested),
    },
  }
}

/** `input_tokens` excludes the tokens that were read from a cache or written to it. */
function readTokens(usage: Fields | null) {
  const count = (name: string) => readCount(usage?.[name]) ?? 0
  const thinking = readCount(asObject(usage?.output_tokens_details)?.thinking_tokens)
  return {
    promptTokens: count('input_tokens') + count('cache_creation_input_tokens') + count('cache_read_input_tokens'),
    completionTokens: count('output_tokens'),
    reasoningTokens: thinking,
  }
}

function responseFormat({ output_format, output_config }: Fields): unknown {
  const format = asObject(output_format) ?? asObject(asObject(output_config)?.format)
  if (format?.type !== 'json_schema') return null
  return { type: 'json_schema', json_schema: { name: 'answer', schema: format.schema } }
}

function readParams(requested: Fields): Fields {
  const { stop_sequences: stop, output_config, tool_choice } = requested
  const choice = chatChoice(asObject(tool_choice))
  const effort = asObject(output_config)?.effort
  const set = sameMeaning.filter((name) => !isAbsent(requested[name]))
  return {
    ...Object.fromEntries(set.map((name) => [name, requested[name]])),
    ...(isAbsent(stop) ? {} : { stop }),
    ...(isAbsent(effort) ? {} : { reasoning_effort: effort }),
    ...choice,
  }
}

function chatChoice(choice: Fields | null): Fields {
  if (choice === null) return {}
  const { type, name, disable_parallel_tool_use: isSerial } = choice
  const parallel = typeof isSerial === 'boolean' ? { parallel_tool_calls: !isSerial } : {}
  if (type === 'tool') return { tool_choice: { type: 'function', function: { name } }, ...parallel }
  return { tool_choice: type === 'any' ? 'required' : type, ...parallel }
}
