import { isObject } from '@ratchet/service-kit/values/json'
import { type ChatMessage, chatMessage } from '../../chat-form/chat-message.ts'
import { joinAnswers } from '../../chat-form/join-answers.ts'
import { parseJsonText } from '../../chat-form/parse-json-text.ts'
import { readAnswer, readMessages } from '../../chat-form/read-messages.ts'
import { readPart } from '../../chat-form/read-part.ts'
import { readTools } from '../../chat-form/read-tools.ts'
import type { Attributes } from './any-value.ts'
import { structuredMessages } from './exchange-attributes.ts'
import type { FoundContent } from './found-content.ts'
import type { OtlpSpan } from './read-spans.ts'

/** Reads content by OpenTelemetry's conventions for generative AI: lists of messages with parts. */
export function readStructuredMessages(span: OtlpSpan): FoundContent | null {
  const { input, output, system, tools, events } = structuredMessages
  const details = span.events.filter(({ name }) => (events as readonly string[]).includes(name))
  const holders = [span.attributes, ...details.map(({ attributes }) => attributes)]
  const list = (name: string) => listAttribute(holders, name)
  const [inputs, outputs, instructions] = [list(input), list(output), list(system)]
  if (inputs === null && outputs === null && instructions === null) return null
  const [answer] = outputs ?? []
  const messages = readMessages(inputs ?? [], 'user')
  // Koog has them among the messages too.
  const isRepeated = messages[0]?.role === 'system'
  return {
    messages: [
      ...(instructions === null || isRepeated
        ? []
        : [chatMessage({ role: 'system', parts: instructions.flatMap(shownPart) })]),
      ...messages,
    ],
    response: outputs === null ? null : answerOf(outputs),
    tools: readTools(list(tools)),
    finishReason: isObject(answer) && typeof answer.finish_reason === 'string' ? answer.finish_reason : null,
  }
}

/** Each output is a choice, unless none has a reason why it ended: then they are parts of one answer. */
function answerOf(outputs: readonly unknown[]): ChatMessage | null {
  const areChoices = outputs.some((output) => isObject(output) && typeof output.finish_reason === 'string')
  return areChoices ? readAnswer(outputs) : joinAnswers(readMessages(outputs, 'assistant'))
}

/** An attribute that is a list or a JSON list. Any other value counts as a list with one member. */
function listAttribute(holders: readonly Attributes[], name: string): readonly unknown[] | null {
  const value = parseJsonText(holders.map((holder) => holder.get(name)).find((each) => each !== undefined))
  if (Array.isArray(value)) return value.map(parseJsonText)
  return value === undefined || value === null ? null : [value]
}

function shownPart(part: unknown): readonly unknown[] {
  const read = readPart(part)
  return read.kind === 'shown' ? [read.part] : []
}
