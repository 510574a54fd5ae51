import { isObject } from '@ratchet/service-kit/values/json'
import { type ExampleLine, exampleLine } from './example-line.ts'
import type { PlannedExample } from './plan-examples.ts'
import { isMessage, type Message, type ParsedContent, readMessages } from './stored-exchange.ts'

export interface BuildOptions {
  readonly includeTools: boolean
  /** Training weight of the answers before the last one, 0 or 1. */
  readonly earlierTurnsWeight: 0 | 1
}

/** Builds the planned training example of an exchange; null when its content is not a conversation. */
export function buildExample(
  exchange: ParsedContent,
  { muted }: Pick<PlannedExample, 'muted'>,
  { includeTools, earlierTurnsWeight }: BuildOptions,
): ExampleLine | null {
  const prompt = readMessages(exchange.messages)
  if (prompt === null || !isMessage(exchange.response)) return null
  const turns = prompt.filter(isAnswer).length
  const silent = new Set(muted)
  const weightAt = (at: number) => (silent.has(at) ? 0 : earlierTurnsWeight)
  const earlier = prompt.map((message, at) => trainingMessage(message, isAnswer(message) ? weightAt(at) : undefined))
  const last = trainingMessage(exchange.response, turns === 0 ? undefined : 1)
  const tools = includeTools && Array.isArray(exchange.tools) && exchange.tools.length > 0 ? exchange.tools : undefined
  return exampleLine({ messages: [...earlier, last], ...(tools === undefined ? {} : { tools }) })
}

function isAnswer({ role }: Message): boolean {
  return role === 'assistant'
}

/** Keeps the members of a message that a trainer reads, and drops those that a provider or a client added. */
function trainingMessage(message: Message, weight: 0 | 1 | undefined): Message {
  const { role, content = null } = message
  const present = ['name', 'tool_calls', 'tool_call_id', 'function_call'].filter((key) => isSet(message[key]))
  return {
    role,
    content: Array.isArray(content) ? content.map(withoutHints) : content,
    ...Object.fromEntries(present.map((key) => [key, message[key]])),
    ...(weight === undefined ? {} : { weight }),
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}

/** Removes the hint to a provider's prompt cache from a part of a message. */
function withoutHints(part: unknown): unknown {
  if (!isObject(part)) return part
  const { cache_control: _, ...rest } = part
  return rest
}
