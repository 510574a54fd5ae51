/** A message as the API stores it, with the fields of the provider's format. */
export type StoredMessage = Readonly<Record<string, unknown>>

/** A part of a message, ready to be shown. */
export type MessagePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly name: string; readonly input: string }
  /** Something that is named and not shown, such as an image. */
  | { readonly kind: 'other'; readonly name: string }

/** What a message consists of: its text, the tools that it calls, and everything else by name. */
export function partsOf({ content, refusal, tool_calls: calls }: StoredMessage): readonly MessagePart[] {
  const refused = typeof refusal === 'string' && refusal !== '' ? [textPart(refusal)] : []
  return [...contentParts(content), ...refused, ...(Array.isArray(calls) ? calls.map(callPart) : [])]
}

/** Who wrote a message. */
export function roleOf({ role }: StoredMessage): string {
  return typeof role === 'string' ? role : 'unknown'
}

/** A message as one text: calls of tools as they were sent, and the names of what cannot be shown in square brackets. */
export function textOf(message: StoredMessage): string {
  return partsOf(message).map(partText).join('\n')
}

function partText(part: MessagePart): string {
  if (part.kind === 'text') return part.text
  return part.kind === 'call' ? `${part.name}(${part.input})` : `[${part.name}]`
}

function contentParts(content: unknown): readonly MessagePart[] {
  if (typeof content === 'string') return content === '' ? [] : [textPart(content)]
  if (!Array.isArray(content)) return []
  return content.map((part: unknown): MessagePart => {
    if (typeof part === 'string') return textPart(part)
    const { type, text } = fieldsOf(part)
    return typeof text === 'string' ? textPart(text) : { kind: 'other', name: nameOf(type) }
  })
}

function callPart(call: unknown): MessagePart {
  const { function: called } = fieldsOf(call)
  const { name, arguments: input } = fieldsOf(called)
  const shown = typeof name === 'string' ? name : 'unknown tool'
  return { kind: 'call', name: shown, input: typeof input === 'string' ? input : JSON.stringify(input ?? {}) }
}

function textPart(text: string): MessagePart {
  return { kind: 'text', text }
}

function nameOf(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value.replaceAll('_', ' ') : 'unknown part'
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
