import { parseExact } from '@ratchet/service-kit/values/exact-json'
import { isObject } from '@ratchet/service-kit/values/json'
import { stringify } from 'csv-stringify/sync'
import type { TrainingExample } from './example-line.ts'
import { isInstruction } from './message-identity.ts'
import { replyText, textOf, toolCallsOf } from './message-text.ts'
import type { Message } from './stored-exchange.ts'

/** An example of a dataset with its index and its source. */
export interface ExportedExample {
  readonly index: number
  /** The stored line. */
  readonly text: string
  readonly sourceLogId: string | null
}

/** Converts an example to a line, for each JSONL format. */
export const jsonlFormats = {
  openai: ({ text }: ExportedExample) => text,
  openai_evals: ({ text }: ExportedExample) => JSON.stringify({ item: evalItem(parseExact(text) as TrainingExample) }),
  sharegpt: ({ text }: ExportedExample) => JSON.stringify(shareGpt(parseExact(text) as TrainingExample)),
} as const

/** The input of an eval, and the answer to compare with. */
function evalItem({ messages, tools }: TrainingExample) {
  const answer = messages.at(-1)
  return {
    input: messages.slice(0, -1).map(withoutWeight),
    ideal: answer === undefined ? '' : replyText(answer),
    tools,
  }
}

function withoutWeight({ weight: _, ...message }: Message) {
  return message
}

function shareGpt({ messages, tools }: TrainingExample) {
  const conversations = messages.flatMap(shareGptTurns)
  return { conversations, ...(tools === undefined ? {} : { tools: JSON.stringify(tools.map(functionOf)) }) }
}

const speakers: Readonly<Record<string, string>> = {
  system: 'system',
  developer: 'system',
  user: 'human',
  assistant: 'gpt',
  tool: 'observation',
  function: 'observation',
}

function shareGptTurns(message: Message) {
  const said = textOf(message.content)
  const calls = toolCallsOf(message).map((call) => ({ name: call.name, arguments: parsed(call.arguments) }))
  const called = { from: 'function_call', value: JSON.stringify(calls.length === 1 ? calls[0] : calls) }
  if (calls.length > 0 && said === '') return [called]
  const spoken = { from: speakers[message.role] ?? message.role, value: said }
  return calls.length > 0 ? [spoken, called] : [spoken]
}

function functionOf(tool: unknown): unknown {
  return isObject(tool) && isObject(tool.function) ? tool.function : tool
}

function parsed(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return text
  }
}

export const csvColumns = ['index', 'system', 'prompt', 'completion', 'messages', 'tools', 'source_log_id'] as const

/** Escapes texts that a spreadsheet would execute as formulas. Some skip line breaks before them. */
export function csvLine(example: ExportedExample): string {
  const row = csvRow(example).map((cell) => (typeof cell === 'string' && /^\n/.test(cell) ? `'${cell}` : cell))
  return stringify([row], { escape_formulas: true })
}

/**
 * The column `prompt` is the conversation without instructions: the text of a single message, or one paragraph per
 * message.
 */
export function csvRow({ index, text, sourceLogId }: ExportedExample): readonly (string | number)[] {
  const { messages, tools } = parseExact(text) as TrainingExample
  const conversation = messages.slice(0, -1).filter((message) => !isInstruction(message))
  const [only] = conversation
  const prompt =
    conversation.length === 1 && only !== undefined ? replyText(only) : conversation.map(spokenLine).join('\n\n')
  const answer = messages.at(-1)
  return [
    index,
    messages
      .filter(isInstruction)
      .map(({ content }) => textOf(content))
      .join('\n'),
    prompt,
    answer === undefined ? '' : replyText(answer),
    JSON.stringify(messages),
    tools === undefined ? '' : JSON.stringify(tools),
    sourceLogId ?? '',
  ]
}

function spokenLine(message: Message): string {
  return `${message.role}: ${replyText(message)}`
}
