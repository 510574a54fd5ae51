import type { Fields } from '@ratchet/service-kit/values/json'
import { type EntryToImport, fieldsOf, listOf, numberOf, textOf } from './exchange.ts'

type Message = EntryToImport['messages'][number]

/** The messages of a request to a chat model of OpenAI or Anthropic; null for any other request. */
export function messagesOf(request: Fields | null): Message[] | null {
  if (request === null) return null
  const messages = listOf(request.messages)
  if (messages !== null) return [...systemOf(request.system), ...messages.flatMap(messageOf)]
  const input = request.input
  if (typeof input === 'string') return [...systemOf(request.instructions), { role: 'user', content: input }]
  return null
}

function systemOf(system: unknown): Message[] {
  if (typeof system === 'string') return [{ role: 'system', content: system }]
  const text = blocksText(listOf(system))
  return text === null ? [] : [{ role: 'system', content: text }]
}

/** A message of OpenAI as it is; of Anthropic's, its blocks for calls and results of tools become messages of OpenAI's form. */
export function messageOf(value: unknown): Message[] {
  const message = fieldsOf(value)
  const role = textOf(message?.role)
  if (message === null || role === undefined) return []
  const blocks = listOf(typeof message.content === 'string' ? null : message.content)
  if (blocks === null || !blocks.some(isToolBlock)) return [{ ...message, role }]
  const results = blocks.flatMap((block): Message[] => {
    const { type, tool_use_id: id, content } = fieldsOf(block) ?? {}
    if (type !== 'tool_result') return []
    const text = typeof content === 'string' ? content : (blocksText(listOf(content)) ?? '')
    return [{ role: 'tool', tool_call_id: id, content: text }]
  })
  const calls = blocks.flatMap(callOf)
  const text = blocksText(blocks)
  if (calls.length > 0) return [{ role, content: text, tool_calls: calls }]
  return [...results, ...(text === null ? [] : [{ role, content: text }])]
}

function isToolBlock(block: unknown): boolean {
  const type = fieldsOf(block)?.type
  return type === 'tool_use' || type === 'tool_result'
}

function callOf(block: unknown): object[] {
  const { type, id, name, input } = fieldsOf(block) ?? {}
  if (type !== 'tool_use') return []
  return [{ id, type: 'function', function: { name, arguments: JSON.stringify(input ?? {}) } }]
}

/** The texts of blocks, one below the other; null without any. */
export function blocksText(blocks: readonly unknown[] | null): string | null {
  const texts = (blocks ?? []).flatMap((block) => textOf(fieldsOf(block)?.text) ?? [])
  return texts.length === 0 ? null : texts.join('\n')
}

export interface Answered {
  readonly response: Message
  readonly finishReason: string | undefined
}

/** The answer of a chat model of OpenAI or Anthropic; null for any other reply. */
export function answerOf(reply: Fields | null): Answered | null {
  if (reply === null) return null
  const choice = fieldsOf(listOf(reply.choices)?.[0])
  if (choice !== null) {
    const [response] = messageOf(choice.message)
    return response === undefined ? null : { response, finishReason: textOf(choice.finish_reason) }
  }
  const blocks = typeof reply.content === 'string' ? null : listOf(reply.content)
  if (reply.role !== 'assistant' || blocks === null) return null
  const [response] = messageOf({ role: 'assistant', content: blocks })
  const text = blocksText(blocks)
  const plain = blocks.some(isToolBlock) ? response : { role: 'assistant', content: text ?? '' }
  return plain === undefined ? null : { response: plain, finishReason: textOf(reply.stop_reason) }
}

/** Settings of a request that the log keeps beside the messages. */
export function paramsOf(request: Fields | null): Record<string, unknown> | undefined {
  const known = ['temperature', 'top_p', 'max_tokens', 'max_completion_tokens', 'seed', 'stop', 'tool_choice']
  const params = known.flatMap((name): [string, unknown][] => {
    const value = request?.[name]
    return value === undefined || value === null ? [] : [[name, value]]
  })
  return params.length === 0 ? undefined : Object.fromEntries(params)
}

/** What a request to a chat model and its reply say, as fields of an entry; null when they are of something else. */
export function chatOf(request: Fields | null, reply: Fields | null) {
  const messages = messagesOf(request)
  const answer = answerOf(reply)
  if (messages === null || answer === null) return null
  return {
    messages,
    response: answer.response,
    finish_reason: answer.finishReason,
    tools: toolsOf(request?.tools),
    params: paramsOf(request),
    stream: request?.stream === true ? true : undefined,
  }
}

export function toolsOf(value: unknown): unknown[] | undefined {
  const tools = listOf(value)
  return tools === null ? undefined : [...tools]
}

/** Whether a status of HTTP says that the call failed. */
export function isFailure(...statuses: readonly unknown[]): boolean {
  return (numberOf(...statuses) ?? 0) >= 400
}
