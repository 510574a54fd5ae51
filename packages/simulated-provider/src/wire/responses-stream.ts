import { tokensOf } from '../answers/tokenize.ts'
import { obfuscationOf } from './obfuscation.ts'
import { type OutputItem, outputText } from './output-item.ts'
import type { Frame } from './reply.ts'

/** An event without its sequence number, with its tokens. */
type Event = [type: string, members: object, tokens?: number]

/** The typed events of a streamed response, in OpenAI's order: one token per delta, no `[DONE]`. */
export function* responseFrames(options: {
  begun: object
  done: { status: string }
  items: readonly OutputItem[]
  /** True when deltas are padded. */
  padded: boolean
}): Generator<Frame> {
  let sequence = 0
  for (const [type, members, tokens] of eventsOf(options)) {
    const padding = 'delta' in members && options.padded ? { obfuscation: obfuscationOf(String(members.delta)) } : {}
    const data = JSON.stringify({ type, sequence_number: sequence, ...members, ...padding })
    yield { data: `event: ${type}\ndata: ${data}\n\n`, tokens: tokens ?? 0 }
    sequence += 1
  }
}

function* eventsOf(options: {
  begun: object
  done: { status: string }
  items: readonly OutputItem[]
}): Generator<Event> {
  yield ['response.created', { response: options.begun }]
  yield ['response.in_progress', { response: options.begun }]
  for (const [index, item] of options.items.entries()) {
    if (item.type === 'message') yield* messageEvents(item, index)
    else if (item.type === 'function_call') yield* callEvents(item, index)
    else yield ['response.output_item.added', { output_index: index, item }]
    yield ['response.output_item.done', { output_index: index, item }]
  }
  yield [
    options.done.status === 'incomplete' ? 'response.incomplete' : 'response.completed',
    { response: options.done },
  ]
}

function* messageEvents(item: OutputItem & { type: 'message' }, index: number): Generator<Event> {
  const place = { item_id: item.id, output_index: index, content_index: 0 }
  const text = item.content[0]?.text ?? ''
  yield ['response.output_item.added', { output_index: index, item: { ...item, status: 'in_progress', content: [] } }]
  yield ['response.content_part.added', { ...place, part: outputText('') }]
  for (const token of tokensOf(text)) yield ['response.output_text.delta', { ...place, delta: token, logprobs: [] }, 1]
  yield ['response.output_text.done', { ...place, text, logprobs: [] }]
  yield ['response.content_part.done', { ...place, part: outputText(text) }]
}

/** The item's own event has the token of the call's name. */
function* callEvents(item: OutputItem & { type: 'function_call' }, index: number): Generator<Event> {
  const place = { item_id: item.id, output_index: index }
  yield [
    'response.output_item.added',
    { output_index: index, item: { ...item, status: 'in_progress', arguments: '' } },
    1,
  ]
  for (const token of tokensOf(item.arguments))
    yield ['response.function_call_arguments.delta', { ...place, delta: token }, 1]
  yield ['response.function_call_arguments.done', { ...place, name: item.name, arguments: item.arguments }]
}
