import { asObject, type Fields, parseJson } from '@ratchet/service-kit/values/json'
import { argumentsObject } from '../arguments-object.ts'
import { readTexts } from '../chat/read-texts.ts'
import { readUsage } from '../chat/read-usage.ts'
import type { Body } from '../dialect.ts'
import type { ProviderRequest } from '../provider.ts'
import { thoughtsOf } from '../signed-thoughts.ts'
import { hidesThinking } from './chat-output.ts'
import { messageEnding } from './message-ending.ts'
import { wireMessagesUsage } from './message-event.ts'

/** Translates the first choice of a chat completion to a message; null when it cannot be read. */
export function messageFromChat(chat: Body, request: ProviderRequest): Buffer | null {
  const choice = asObject(Array.isArray(chat.choices) ? chat.choices[0] : null)
  const said = asObject(choice?.message)
  if (choice === null || said === null) return null
  const calls = Array.isArray(said.tool_calls) ? said.tool_calls : []
  const isCut = choice.finish_reason === 'length'
  const uses = calls.map((call, index) => toolUse(asObject(call) ?? {}, { id: ownCallId(request, index), isCut }))
  if (uses.includes(null)) return null
  const refusal = textOf(said.refusal)
  const ending = {
    finishReason: choice.finish_reason,
    stoppedBy: choice.stop_reason,
    hasCalls: calls.length > 0,
    refusal,
  }
  const usage = readUsage(chat.usage)
  return Buffer.from(
    JSON.stringify({
      ...messageHead(chat.model, request),
      content: [...spoken(said, hidesThinking(request.body)), ...uses],
      ...messageEnding(ending, request.body.stop_sequences),
      ...(usage === null ? {} : { usage: wireMessagesUsage(usage) }),
    }),
  )
}

/**
 * The first members of a message.
 *
 * @param name the model's name at the provider, if it gave one
 */
export function messageHead(name: unknown, { requestId, model }: ProviderRequest) {
  return {
    id: `msg_${requestId.replaceAll('-', '')}`,
    type: 'message',
    role: 'assistant',
    model: typeof name === 'string' && name !== '' ? name : model.id,
  }
}

/** An id for a tool call that has none. */
export function ownCallId({ requestId }: ProviderRequest, index: number): string {
  return `toolu_${requestId.replaceAll('-', '')}_${index}`
}

/** Text is a string or, with some providers, a list of parts. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  const texts = Array.isArray(value) ? value.map((part) => asObject(part)?.text) : []
  return texts.filter((text) => typeof text === 'string').join('')
}

/** Signed thinking is always written, without its text where the client does not want to see it. */
function spoken(said: Fields, isThinkingHidden: boolean): Fields[] {
  const { text: written, reasoning } = readTexts(said)
  const signed = thoughtsOf(said.reasoning_details)
  const shown = signed.map((block) => (isThinkingHidden && 'thinking' in block ? { ...block, thinking: '' } : block))
  const open = signed.length > 0 || isThinkingHidden || reasoning === ''
  const text = written + textOf(said.refusal)
  return [
    ...(open ? shown : [{ type: 'thinking', thinking: reasoning, signature: '' }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
  ]
}

/** Null when the call has no name. */
function toolUse(call: Fields, { id, isCut }: { id: string; isCut: boolean }): Fields | null {
  const { name, arguments: written } = asObject(call.function) ?? {}
  if (typeof name !== 'string') return null
  const input = inputOf(written, isCut)
  const named = typeof call.id === 'string' && call.id !== '' ? call.id : id
  return { type: 'tool_use', id: named, name, input, ...extraOf(call) }
}

/**
 * Members that the client must send back with a call, such as Google's signature. Anthropic's SDKs store them with the
 * block.
 */
export function extraOf({ extra_content: extra }: Fields): Fields {
  return asObject(extra) === null ? {} : { extra_content: extra }
}

/** Arguments are JSON text, but some providers send an object. Those in which the answer was cut off are left out. */
function inputOf(written: unknown, isCut: boolean): Fields {
  if (typeof written !== 'string') return asObject(written) ?? {}
  return isCut && parseJson(written) === undefined ? {} : argumentsObject(written)
}
