import { asList, asObject, asText, type Fields } from '@ratchet/service-kit/values/json'
import { readObject } from '../../wire/chat/read-reply.ts'
import type { ReplyBytes } from '../../wire/provider.ts'
import { createEventWriter } from '../../wire/responses/event-writer.ts'
import { wireResponseUsage } from '../../wire/responses/response-usage.ts'
import { finishWithUsage } from '../finish-with-usage.ts'
import type { Charged } from '../surface.ts'

/** An event without its sequence number. */
type Event = readonly [type: string, members: object]

/**
 * The typed events of a complete response, with each text and each call in one delta. It has the id under which it was
 * first given and stored.
 */
export function replayResponse(reply: ReplyBytes, charged: Charged): string {
  const response = readObject(finishWithUsage(reply, charged, wireResponseUsage))?.body ?? {}
  const { write } = createEventWriter()
  return [...eventsOf(response)].map(([type, members]) => write(type, members)).join('')
}

function* eventsOf(response: Fields): Generator<Event> {
  const begun = {
    ...response,
    completed_at: null,
    status: 'in_progress',
    incomplete_details: null,
    output: [],
    usage: null,
    conversation_id: undefined,
  }
  yield ['response.created', { response: begun }]
  yield ['response.in_progress', { response: begun }]
  for (const [index, value] of asList(response.output).entries()) {
    const item = asObject(value)
    if (item === null) continue
    yield ['response.output_item.added', { output_index: index, item: emptied(item) }]
    yield* insideOf(item, index)
    yield ['response.output_item.done', { output_index: index, item }]
  }
  yield [response.status === 'incomplete' ? 'response.incomplete' : 'response.completed', { response }]
}

/** An item as it is when it begins. */
function emptied(item: Fields): Fields {
  const begun = 'status' in item ? { ...item, status: 'in_progress' } : item
  switch (item.type) {
    case 'message':
      return { ...begun, content: [] }
    case 'reasoning':
      return { ...begun, summary: [], ...('content' in item ? { content: [] } : {}) }
    case 'function_call':
      return { ...begun, arguments: '' }
    case 'custom_tool_call':
      return { ...begun, input: '' }
    default:
      return begun
  }
}

function* insideOf(item: Fields, output_index: number): Generator<Event> {
  const place = { item_id: item.id, output_index }
  for (const [summary_index, part] of asList(item.summary).entries()) {
    yield* summaryEvents({ ...place, summary_index }, asObject(part) ?? {})
  }
  for (const [content_index, part] of asList(item.content).entries()) {
    yield* partEvents({ ...place, content_index }, asObject(part) ?? {})
  }
  if (item.type === 'function_call') yield* callEvents('function_call_arguments', 'arguments', { item, place })
  if (item.type === 'custom_tool_call') yield* callEvents('custom_tool_call_input', 'input', { item, place })
}

function* summaryEvents(place: object, part: Fields): Generator<Event> {
  const text = asText(part.text) ?? ''
  yield ['response.reasoning_summary_part.added', { ...place, part: { ...part, text: '' } }]
  yield ['response.reasoning_summary_text.delta', { ...place, delta: text }]
  yield ['response.reasoning_summary_text.done', { ...place, text }]
  yield ['response.reasoning_summary_part.done', { ...place, part }]
}

function* partEvents(place: object, part: Fields): Generator<Event> {
  const type = asText(part.type) ?? ''
  if (type === 'refusal') {
    const refusal = asText(part.refusal) ?? ''
    yield ['response.content_part.added', { ...place, part: { ...part, refusal: '' } }]
    yield ['response.refusal.delta', { ...place, delta: refusal }]
    yield ['response.refusal.done', { ...place, refusal }]
  } else {
    const text = asText(part.text) ?? ''
    const tokens = type === 'output_text' ? { logprobs: asList(part.logprobs) } : {}
    const begun = type === 'output_text' ? { ...part, text: '', annotations: [], logprobs: [] } : { ...part, text: '' }
    yield ['response.content_part.added', { ...place, part: begun }]
    yield [`response.${type}.delta`, { ...place, delta: text, ...tokens }]
    yield* asList(part.annotations).map(
      (annotation, annotation_index): Event => [
        'response.output_text.annotation.added',
        { ...place, annotation_index, annotation },
      ],
    )
    yield [`response.${type}.done`, { ...place, text, ...tokens }]
  }
  yield ['response.content_part.done', { ...place, part }]
}

function* callEvents(
  name: string,
  member: 'arguments' | 'input',
  { item, place }: { readonly item: Fields; readonly place: object },
): Generator<Event> {
  const said = asText(item[member]) ?? ''
  yield [`response.${name}.delta`, { ...place, delta: said }]
  yield [`response.${name}.done`, { ...place, ...(member === 'arguments' ? { name: item.name } : {}), [member]: said }]
}
