import { asList, asObject, type Fields, isObject } from '@ratchet/service-kit/values/json'
import type { ChatMessage } from '../../chat-form/chat-message.ts'
import { joinAnswers } from '../../chat-form/join-answers.ts'
import { parseJsonText } from '../../chat-form/parse-json-text.ts'
import { readAnswer, readMessages } from '../../chat-form/read-messages.ts'
import type { Attributes } from './any-value.ts'
import { choiceEvent, contentEvents, eventsAttribute, messageEvents } from './exchange-attributes.ts'
import type { FoundContent } from './found-content.ts'
import { readContent } from './raw-content.ts'
import type { OtlpSpan } from './read-spans.ts'

interface MessageEvent {
  readonly name: string
  readonly said: Fields
}

/** Reads content in older formats of the conventions: an event for each message, or one for the whole prompt. */
export function readEventMessages(span: OtlpSpan): FoundContent | null {
  const events = [...span.events.map(({ name, attributes }) => ({ name, said: members(attributes) })), ...listed(span)]
  const messages = events.flatMap(readEvent)
  const choices = events.filter(({ name }) => name === choiceEvent)
  if (messages.length === 0 && choices.length === 0) return readContentEvents(span)
  const [choice] = choices
  const reason = choice?.said.finish_reason
  // Some agents write their answer as one more message.
  const last = choices.length === 0 && messages.at(-1)?.role === 'assistant' ? messages.at(-1) : undefined
  return {
    messages: last === undefined ? messages : messages.slice(0, -1),
    response: last ?? answerIn(choices),
    tools: null,
    finishReason: typeof reason === 'string' ? reason : null,
  }
}

/** The events of an attribute, as Logfire and Pydantic AI write them. */
function listed({ attributes }: OtlpSpan): readonly MessageEvent[] {
  const { attribute, name } = eventsAttribute
  return asList(parseJsonText(attributes.get(attribute)))
    .filter(isObject)
    .map((said) => ({ name: String(said[name] ?? ''), said }))
}

function readEvent({ name, said }: MessageEvent): readonly ChatMessage[] {
  const role = Object.hasOwn(messageEvents, name) ? messageEvents[name] : undefined
  return role === undefined ? [] : readMessages([toMessage(said, role)], role)
}

/** An event has the id of the call that it answers as `id`. */
function toMessage(said: Fields, role: string): Fields {
  return { ...said, role: said.role ?? role, ...(role === 'tool' && 'id' in said ? { tool_call_id: said.id } : {}) }
}

/** The first choice, or all that together are one: Koog writes a choice for the text and one for each call. */
function answerIn(choices: readonly MessageEvent[]): ChatMessage | null {
  const answers = choices.flatMap(({ said }) => readAnswer([answerOf(said)]) ?? [])
  const areCalls = answers.slice(1).every(({ tool_calls: calls }) => calls !== undefined)
  const indexes = new Set(choices.map(({ said }) => said.index).filter((index) => index !== undefined))
  return areCalls && indexes.size <= 1 ? joinAnswers(answers) : (answers[0] ?? null)
}

function answerOf(said: Fields): unknown {
  const message = parseJsonText(said.message)
  if (isObject(message)) return { role: 'assistant', ...message }
  return { ...said, role: 'assistant', content: said.content ?? message }
}

function readContentEvents({ events }: OtlpSpan): FoundContent | null {
  const find = ({ event, attribute }: { event: string; attribute: string }) =>
    events.find(({ name }) => name === event)?.attributes.get(attribute)
  return readContent(find(contentEvents.prompt), find(contentEvents.completion))
}

/** The attributes of an event as one object. Some exporters write the whole object as JSON into one attribute. */
function members(attributes: Attributes): Fields {
  const body = parseJsonText(attributes.get('body') ?? attributes.get('gen_ai.event.content'))
  return asObject(body) ?? Object.fromEntries(attributes)
}
