/** A message as it was logged, with the fields of its provider. */
export type Message = Readonly<Record<string, unknown>>

/**
 * The messages of a conversation in one form, whichever provider answered: fields that only some providers send, and the form
 * of their ids of calls, tell the provider, and so the arm of a canary. Calls are numbered in their order.
 */
export function blindMessages(messages: readonly Message[], response: Message) {
  const idOf = new Map<unknown, string>()
  let count = 0
  const next = (id: unknown) => {
    count += 1
    idOf.set(id, `call_${count}`)
    return `call_${count}`
  }
  const blind = ({ role, content, refusal, name, tool_calls: calls, tool_call_id: answered }: Message) => ({
    role: String(role),
    content: role === 'assistant' ? answerOf(content, refusal) : (content ?? ''),
    ...(typeof name === 'string' ? { name } : {}),
    ...(Array.isArray(calls) && calls.length > 0 ? { tool_calls: calls.map((call) => blindCall(call, next)) } : {}),
    ...(answered === undefined || answered === null ? {} : { tool_call_id: idOf.get(answered) ?? next(answered) }),
  })
  return { messages: messages.map(blind), response: blind(response) }
}

/** Text in parts is one text, as is a refusal. What is no text is only named. */
function answerOf(content: unknown, refusal: unknown): unknown {
  const said = typeof refusal === 'string' ? refusal : ''
  if (!Array.isArray(content)) return content || said
  const parts = content.map(answerPart).filter(({ type }) => !reasoning.has(type))
  return parts.every(({ text }) => text !== undefined) ? parts.map(({ text }) => text).join('\n') || said : parts
}

const reasoning = new Set<unknown>(['thinking', 'redacted_thinking', 'reasoning'])

function answerPart(part: unknown): { readonly type: unknown; readonly text?: string } {
  if (typeof part === 'string') return { type: 'text', text: part }
  const { type, text, refusal } = fieldsOf(part)
  const said = text ?? refusal
  return typeof said === 'string' ? { type: 'text', text: said } : { type }
}

function blindCall(call: unknown, next: (id: unknown) => string) {
  const { id, function: called, custom } = fieldsOf(call)
  const { name, arguments: input, input: text } = fieldsOf(called ?? custom)
  return { id: next(id), type: 'function', function: { name, arguments: input ?? text } }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
