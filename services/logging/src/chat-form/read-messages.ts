import { isExactNumber } from '@ratchet/service-kit/values/exact-json'
import { asList, asObject, type Fields, isObject } from '@ratchet/service-kit/values/json'
import { type ChatMessage, chatMessage, chatRole, textPart } from './chat-message.ts'
import { joinAll } from './join-answers.ts'
import { parseJsonText, toText } from './parse-json-text.ts'
import { chatToolCalls, isKnownPart, readPart } from './read-part.ts'

/**
 * Reads messages in the form of any known API or SDK as messages of a chat completion. The value is a list of messages or
 * items, a request or an answer that has one, a single message, or a text.
 *
 * @param fallbackRole the role of a message that states none
 */
export function readMessages(value: unknown, fallbackRole: string): readonly ChatMessage[] {
  const said = heldMessages(parseJsonText(value))
  if (said === undefined || said === null) return []
  const drafts: Draft[] = []
  // LangChain has a list of messages for each prompt of a batch.
  for (const each of Array.isArray(said) ? said.flat() : [said]) {
    for (const read of readMessage(parseJsonText(each), fallbackRole)) add(drafts, read)
  }
  return drafts.map(({ pieces }) => joinPieces(pieces))
}

/** The first of the messages that were read, as an answer; null when there is none. */
export function readAnswer(value: unknown): ChatMessage | null {
  const [answer = null] = readMessages(value, 'assistant')
  return answer
}

/** Members of answers, and of requests and states of agents, that have the messages. */
const answered = ['choices', 'candidates', 'output'] as const
const requested = ['messages', 'contents', 'input'] as const

/** Requests of the Messages and the Responses API have their system prompt beside the messages. */
function heldMessages(value: unknown): unknown {
  const fields = asObject(value)
  if (fields === null || fields.role !== undefined || isKnownPart(fields)) return value
  const held = answered.map((name) => fields[name]).find(Array.isArray)
  if (held !== undefined) return held
  const sent = requested.map((name) => fields[name]).find((each) => Array.isArray(each) || typeof each === 'string')
  if (sent === undefined) return value
  const system = fields.system ?? fields.instructions ?? fields.systemInstruction
  const first = system === undefined || system === null ? [] : [{ role: 'system', content: systemContent(system) }]
  return [...first, ...(Array.isArray(sent) ? sent : [{ role: 'user', content: sent }])]
}

function systemContent(system: unknown): unknown {
  return asObject(system)?.parts ?? system
}

interface ReadMessage {
  readonly message: ChatMessage
  /** True for an item of the Responses API that is a message only together with the items around it. */
  readonly isPiece: boolean
}

/** A message, and what of it was read until now. */
interface Draft {
  readonly pieces: [ChatMessage, ...ChatMessage[]]
  hasPieces: boolean
  hasContent: boolean
}

/** The calls and the reasoning of one answer, which the Responses API lists as items, become one message, unless both have a text. */
function add(drafts: Draft[], { message, isPiece }: ReadMessage): void {
  const last = drafts.at(-1)
  const hasContent = !isEmpty(message.content)
  const isOne = last !== undefined && last.pieces[0].role === 'assistant' && message.role === 'assistant'
  if (!isOne || !(last.hasPieces || isPiece) || (last.hasContent && hasContent)) {
    drafts.push({ pieces: [message], hasPieces: isPiece, hasContent })
    return
  }
  last.pieces.push(message)
  last.hasPieces = true
  last.hasContent ||= hasContent
}

function joinPieces(pieces: Draft['pieces']): ChatMessage {
  if (pieces.length === 1) return pieces[0]
  const { tool_calls, ...rest } = joinAll(pieces)
  const content = (pieces.find((piece) => !isEmpty(piece.content)) ?? pieces.at(-1))?.content ?? null
  const isOnlyCalls = isEmpty(content) && tool_calls !== undefined
  return { ...rest, content: isOnlyCalls ? null : content, ...(tool_calls === undefined ? {} : { tool_calls }) }
}

function isEmpty(content: unknown): boolean {
  return content === null || content === '' || content === undefined
}

/** One message; one with the results of several tools becomes several. */
function readMessage(value: unknown, fallbackRole: string): readonly ReadMessage[] {
  if (!isObject(value) || isExactNumber(value)) {
    return [whole(chatMessage({ role: fallbackRole, parts: [textPart(value)] }))]
  }
  const said = unwrapped(value)
  if (said.role === undefined && isKnownPart(said)) return readItem(said, fallbackRole)
  const role = chatRole(roleOf(said), fallbackRole)
  const messages = readParts(said, partsOf(said), role)
  // Koog writes each call of an answer as a message of a tool.
  return messages.map((message) =>
    role === 'tool' && message.tool_calls !== undefined
      ? { message: { ...message, role: 'assistant' }, isPiece: true }
      : whole(message),
  )
}

function whole(message: ChatMessage): ReadMessage {
  return { message, isPiece: false }
}

function readItem(item: Fields, fallbackRole: string): readonly ReadMessage[] {
  const { kind } = readPart(item)
  const role = kind === 'shown' ? fallbackRole : 'assistant'
  return readParts({}, [item], role).map((message) => ({ message, isPiece: kind !== 'shown' }))
}

/** Choices and spans of frameworks have the message one level down. */
function unwrapped(value: Fields): Fields {
  const inner = parseJsonText(value.message)
  if (isObject(inner)) return inner
  const kwargs = asObject(value.kwargs) ?? asObject(value.data)
  if (kwargs !== null && value.role === undefined) return { role: classRole(value) ?? value.type, ...kwargs }
  const content = asObject(value.content)
  // A candidate of Gemini.
  if (content !== null && Array.isArray(content.parts)) return { role: value.role, ...content }
  return typeof inner === 'string' && value.content === undefined ? { ...value, content: inner } : value
}

/** LangChain writes the class of a message, as in `["langchain_core", "messages", "HumanMessage"]`. */
function classRole({ id }: Fields): string | null {
  const name = toText(asList(id).at(-1))
  const [, role = null] = name.match(/^(Human|AI|System|Tool|Function)Message(?:Chunk)?$/) ?? []
  return role
}

const langChainTypes: ReadonlySet<unknown> = new Set(['human', 'ai', 'system', 'tool', 'function', 'AIMessageChunk'])

function roleOf({ role, type }: Fields): unknown {
  if (role !== undefined) return role
  return langChainTypes.has(type) ? type : undefined
}

function partsOf(said: Fields): readonly unknown[] {
  const content = parseJsonText(said.parts ?? null) ?? said.content ?? said.blocks ?? said.text
  if (content === undefined || content === null || content === '') return []
  return Array.isArray(content) ? content : [content]
}

function readParts(said: Fields, parts: readonly unknown[], role: string): readonly ChatMessage[] {
  const read = parts.map(readPart)
  const results = read.flatMap((each) => (each.kind === 'result' ? [each.message] : []))
  const calls = read.flatMap((each) => (each.kind === 'call' ? [each.call] : []))
  const thoughts = read.flatMap((each) => (each.kind === 'thought' ? [each.text] : []))
  const shown = read.flatMap((each) => (each.kind === 'shown' ? [each.part] : []))
  if (results.length > 0 && calls.length + shown.length === 0) return results
  const reasoning = [...thoughts, toText(said.reasoning_content)].filter((text) => text !== '')
  const own = chatMessage({
    role,
    name: role === 'tool' ? undefined : said.name,
    parts: shown,
    toolCalls: [...calls, ...ownCalls(said)],
    toolCallId: said.tool_call_id ?? said.toolCallId ?? (role === 'tool' ? said.id : undefined),
    ...(reasoning.length === 0 ? {} : { reasoning: reasoning.join('\n') }),
  })
  return [...results, own]
}

/** Calls beside the content. LangChain keeps those of OpenAI a level lower. */
function ownCalls(said: Fields) {
  const calls = chatToolCalls(said.tool_calls ?? said.toolCalls)
  return calls.length > 0 ? calls : chatToolCalls(asObject(said.additional_kwargs)?.tool_calls)
}
