import { isObject } from '@ratchet/service-kit/values/json'
import type { ExchangeMessage, JudgedExchange } from './exchange.ts'
import { neutraliseMarkers } from './neutralise-markers.ts'
import { jsonText, renderAnswer, renderContent } from './render-content.ts'

export interface RenderedTurn {
  readonly role: TurnRole
  readonly text: string
}

/** The conversation before an answer, as texts that are safe as data in a prompt. */
export interface RenderedQuestion {
  readonly turns: readonly RenderedTurn[]
  /** A line for each tool; empty for none. */
  readonly tools: string
}

export interface RenderedExchange extends RenderedQuestion {
  /** The answer that is judged. */
  readonly candidate: string
}

const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const
export type TurnRole = (typeof roles)[number] | 'message'

/**
 * Renders an exchange for a judge, as users see it. Reasoning before an answer becomes `[thought: N characters]`; media
 * become placeholders, tool calls `[tool call] name(arguments)`, their results `[tool result] name`. Equal exchanges give equal texts.
 */
export function renderExchange({ response, ...question }: JudgedExchange): RenderedExchange {
  return { ...renderQuestion(question), candidate: renderReply(response) }
}

/** Renders the request, as {@link renderExchange} does. */
export function renderQuestion({ messages, tools }: Pick<JudgedExchange, 'messages' | 'tools'>): RenderedQuestion {
  const called = new Map<unknown, string>()
  return {
    turns: messages.map((message) => renderTurn(message, called)),
    tools: (tools ?? []).map(renderTool).join('\n'),
  }
}

/** Renders an answer, as {@link renderExchange} does. */
export function renderReply(response: ExchangeMessage): string {
  return renderAssistant(response, new Map())
}

/** An answer without the mark of its reasoning: answers with equal texts read the same. */
export function renderReplyText(response: ExchangeMessage): string {
  return renderSaid(response, new Map()).join('\n')
}

/** @param called names of the functions called so far, by call id */
function renderTurn(message: ExchangeMessage, called: Map<unknown, string>): RenderedTurn {
  const role = roles.find((each) => each === message.role) ?? 'message'
  if (role === 'assistant') return { role, text: renderAssistant(message, called) }
  const text = neutraliseMarkers(renderContent(message.content))
  if (role !== 'tool' && role !== 'function') return { role, text }
  const name = called.get(message.tool_call_id) ?? oneLine(message.name)
  return { role, text: `[tool result] ${name}\n${text}` }
}

/** Renders a message of a model: the mark of its reasoning, its text, then its tool calls. */
function renderAssistant(message: ExchangeMessage, called: Map<unknown, string>): string {
  const { mark } = renderAnswer(message.content)
  return [...(mark === '' ? [] : [mark]), ...renderSaid(message, called)].join('\n')
}

function renderSaid(message: ExchangeMessage, called: Map<unknown, string>): readonly string[] {
  const { content, refusal, audio, tool_calls: toolCalls, function_call: functionCall } = message
  const words = [renderAnswer(content).text, isText(refusal) ? refusal : '', renderAudio(audio)].map(neutraliseMarkers)
  const calls = Array.isArray(toolCalls) ? toolCalls.map((call) => renderCall(call, called)) : []
  const oldCall = isObject(functionCall) ? [`[tool call] ${renderFunction(functionCall)}`] : []
  return [...words, ...calls, ...oldCall].filter((text) => text !== '')
}

function renderAudio(audio: unknown): string {
  if (!isObject(audio)) return ''
  return isText(audio.transcript) ? `[audio]\n${audio.transcript}` : '[audio]'
}

function renderCall(call: unknown, called: Map<unknown, string>): string {
  if (!isObject(call)) return ''
  const callee = [call.function, call.custom].find(isObject) ?? {}
  called.set(call.id, oneLine(callee.name))
  return `[tool call] ${renderFunction(callee)}`
}

function renderFunction({ name, arguments: args, input }: Readonly<Record<string, unknown>>): string {
  const given = args ?? input ?? ''
  return `${oneLine(name)}(${neutraliseMarkers(isText(given) ? given : jsonText(given))})`
}

function renderTool(tool: unknown): string {
  if (!isObject(tool)) return `- ${neutraliseMarkers(jsonText(tool))}`
  const { name, description, ...rest } = [tool.function, tool.custom].find(isObject) ?? tool
  const does = isText(description) ? `: ${description}` : ''
  return neutraliseMarkers(`- ${oneLine(name)}${does} ${jsonText(rest)}`)
}

/** A name is repeated with each result; the limit keeps the text from growing far beyond the exchange. */
const maxNameCharacters = 200

function oneLine(name: unknown): string {
  if (!isText(name)) return 'unnamed'
  return neutraliseMarkers(name.slice(0, maxNameCharacters)).replace(/\s+/g, ' ')
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
