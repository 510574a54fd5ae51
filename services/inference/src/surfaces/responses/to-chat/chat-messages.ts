import type { Body } from '../../../providers/provider.ts'
import { asList, asObject, asText, type Fields } from '../fields.ts'
import { unsupported } from './cannot-translate.ts'
import { chatContent, saidText, toolContent } from './chat-content.ts'

export interface ChatMessage {
  readonly role: string
  content: unknown
  refusal?: string
  tool_calls?: object[]
  readonly tool_call_id?: unknown
}

/** An input item and where it stands. */
interface Placed {
  readonly item: Fields
  readonly path: string
}

/**
 * The messages that `instructions` and the input items of a checked body amount to.
 *
 * @param developerRole what a developer's message is called; most models know only `system`
 */
export function chatMessages({ instructions, input }: Body, developerRole: 'developer' | 'system'): ChatMessage[] {
  const messages: ChatMessage[] = []
  if (typeof instructions === 'string' && instructions !== '') messages.push({ role: 'system', content: instructions })
  if (typeof input === 'string') messages.push({ role: 'user', content: input })
  for (const [index, value] of asList(input).entries()) {
    const placed = { item: asObject(value) ?? {}, path: `input.${index}` }
    const role = placed.item.role === 'developer' ? developerRole : (asText(placed.item.role) ?? '')
    addItem(messages, placed, role)
  }
  return messages
}

function addItem(messages: ChatMessage[], { item, path }: Placed, role: string): void {
  switch (item.type ?? 'message') {
    case 'message':
      if (role === 'assistant') addAnswer(messages, item)
      else messages.push({ role, content: chatContent(item.content, `${path}.content`) })
      break
    case 'function_call':
      addCall(messages, item)
      break
    case 'function_call_output':
      messages.push({ role: 'tool', tool_call_id: item.call_id, content: toolContent(item.output, `${path}.output`) })
      break
    case 'reasoning':
      break // a chat completion has no place for it, and models answer without it
    default:
      throw unsupported(`${path}.type`, `Input items of type ${JSON.stringify(item.type)}`)
  }
}

/** What the model said beside its calls is one message with them: the outputs must come right after it. */
function addAnswer(messages: ChatMessage[], { content }: Fields): void {
  const { text, refusal } = saidText(content)
  const last = messages.at(-1)
  if (last?.role === 'assistant' && last.tool_calls !== undefined) {
    last.content = text === null ? last.content : (asText(last.content) ?? '') + text
    if (refusal !== null) last.refusal = refusal
    return
  }
  messages.push({ role: 'assistant', content: text, ...(refusal === null ? {} : { refusal }) })
}

function addCall(messages: ChatMessage[], { call_id, name, arguments: text }: Fields): void {
  const call = { id: call_id, type: 'function', function: { name, arguments: text } }
  const last = messages.at(-1)
  if (last?.role === 'assistant') {
    last.tool_calls ??= []
    last.tool_calls.push(call)
  } else messages.push({ role: 'assistant', content: null, tool_calls: [call] })
}
