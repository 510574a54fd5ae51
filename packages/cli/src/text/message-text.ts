import { oneLine, printable } from './printable.ts'

/** The parts of a message that are shown. */
export interface ShownMessage {
  readonly role: string
  readonly content?: unknown
  readonly tool_calls?: unknown
}

/** The text of a message: its content, and what it calls. Pictures and other parts are named. */
export function messageText({ content, tool_calls: calls }: ShownMessage): string {
  const parts = typeof content === 'string' ? [content] : Array.isArray(content) ? content.map(partText) : []
  const called = Array.isArray(calls) ? calls.map((call) => `[calls ${oneLine(JSON.stringify(call))}]`) : []
  return printable([...parts, ...called].join('\n'))
}

function partText(part: unknown): string {
  const { text, type } = (part ?? {}) as { readonly text?: unknown; readonly type?: unknown }
  return typeof text === 'string' ? text : `[${typeof type === 'string' ? type : 'part'}]`
}

/** A conversation, one block for each message; long messages keep their beginning and their end. */
export function conversationText(messages: readonly ShownMessage[], maxCharacters = 2_000): string {
  return messages
    .map((message) => `${message.role}:\n${indented(shortened(messageText(message), maxCharacters))}`)
    .join('\n')
}

function shortened(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text
  const half = Math.floor(maxCharacters / 2)
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half)}`
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n')
}
