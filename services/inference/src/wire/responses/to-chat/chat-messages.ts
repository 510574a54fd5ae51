import { asObject, asText, type Fields } from '@ratchet/service-kit/values/json'
import type { CatalogModel } from '../../../catalog/catalog.ts'
import type { Body } from '../../dialect.ts'
import type { Leniency } from '../../leniency.ts'
import { madeOf, type Origins, within } from '../../origins.ts'
import { thoughtOf } from '../stored-items.ts'
import { type ContentPlace, chatContent, saidText, toolAnswer } from './chat-content.ts'
import { functionItems } from './function-items.ts'
import { unsupportedFeature } from './unsupported-feature.ts'

export interface ChatMessage {
  readonly role: string
  content: unknown
  refusal?: string
  tool_calls?: object[]
  reasoning?: string
  reasoning_content?: string
  reasoning_details?: readonly unknown[]
  readonly tool_call_id?: unknown
}

/** An input item with its place in the request. */
interface Placed {
  readonly item: Fields
  readonly place: ContentPlace
}

interface Translation {
  readonly developerRole: 'developer' | 'system'
  readonly reasoning: CatalogModel['historyReasoning']
  readonly origins: Origins
  readonly leniency: Leniency | undefined
}

/**
 * The messages for `instructions` and the input items of a checked body.
 *
 * @param translation.developerRole the role of a developer's message; most models accept only `system`
 * @param translation.reasoning how the model takes the reasoning of earlier answers
 */
export function chatMessages(
  { instructions, input }: Body,
  { developerRole, reasoning, origins, leniency }: Translation,
): ChatMessage[] {
  const messages: ChatMessage[] = []
  const add = (path: string, message: ChatMessage) => messages.push(madeOf({ path, origins }, message))
  if (typeof instructions === 'string' && instructions !== '') {
    add('instructions', { role: 'system', content: instructions })
  }
  if (typeof input === 'string') add('input', { role: 'user', content: input })
  let media: Fields[] = []
  let thought = ''
  for (const [index, item] of functionItems(input, leniency).entries()) {
    if (item === null) continue
    if (item.type === 'reasoning') {
      thought += thoughtOf(item)
      continue
    }
    const placed = { item, place: { path: `input.${index}`, origins, leniency } }
    const role = placed.item.role === 'developer' ? developerRole : (asText(placed.item.role) ?? '')
    if (placed.item.type === 'function_call_output') for (const part of addOutput(messages, placed)) media.push(part)
    else {
      addMedia(messages, media, origins)
      media = []
      addItem(messages, placed, role)
      addThought(messages.at(-1), thought, reasoning)
      thought = ''
    }
  }
  addMedia(messages, media, origins)
  return messages
}

/** Returns the images and files of the output, which must follow all outputs of the turn. */
function addOutput(messages: ChatMessage[], { item, place }: Placed): readonly Fields[] {
  const { text, media } = toolAnswer(item, within(place, 'output'))
  messages.push(madeOf(place, { role: 'tool', tool_call_id: item.call_id, content: text }))
  return media
}

function addMedia(messages: ChatMessage[], media: readonly Fields[], origins: Origins): void {
  if (media.length > 0) messages.push(madeOf({ path: 'input', origins }, { role: 'user', content: media }))
}

function addItem(messages: ChatMessage[], placed: Placed, role: string): void {
  const { item, place } = placed
  switch (item.type ?? 'message') {
    case 'message':
      if (role === 'assistant') addAnswer(messages, placed)
      else messages.push(madeOf(place, { role, content: chatContent(item.content, within(place, 'content')) }))
      break
    case 'function_call':
      addCall(messages, placed)
      break
    default:
      throw unsupportedFeature(`${place.path}.type`, `Input items of type ${JSON.stringify(item.type)}`)
  }
}

/** The text beside the calls and the calls are one message, because the outputs must follow it directly. */
function addAnswer(messages: ChatMessage[], { item, place }: Placed): void {
  const { text, refusal } = saidText(item.content)
  const last = messages.at(-1)
  if (last?.role === 'assistant' && last.tool_calls !== undefined) {
    last.content = text === null ? last.content : (asText(last.content) ?? '') + text
    if (refusal !== null) last.refusal = refusal
    return
  }
  messages.push(madeOf(place, { role: 'assistant', content: text, ...(refusal === null ? {} : { refusal }) }))
}

function addCall(messages: ChatMessage[], { item, place }: Placed): void {
  const { call_id, name, arguments: text, extra_content, reasoning_details: thoughts } = item
  const extra = asObject(extra_content) === null ? {} : { extra_content }
  const call = madeOf(place, { id: call_id, type: 'function', function: { name, arguments: text }, ...extra })
  const last = messages.at(-1)
  const message = last?.role === 'assistant' ? last : madeOf(place, assistant())
  if (message !== last) messages.push(message)
  message.tool_calls ??= []
  message.tool_calls.push(call)
  if (Array.isArray(thoughts)) message.reasoning_details ??= thoughts
}

function assistant(): ChatMessage {
  return { role: 'assistant', content: null }
}

/**
 * Reasoning comes before what it led to, so it belongs to the answer that follows it. Several providers refuse the
 * output of a call when the reasoning before the call is missing.
 */
function addThought(
  message: ChatMessage | undefined,
  thought: string,
  reasoning: CatalogModel['historyReasoning'],
): void {
  if (message?.role !== 'assistant' || thought === '' || reasoning === null || reasoning === 'signed') return
  message[reasoning] = (message[reasoning] ?? '') + thought
}
