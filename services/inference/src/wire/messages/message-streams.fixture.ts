import type { SseEvent } from '@ratchet/service-kit/sse/read-event'
import { createSseReader } from '@ratchet/service-kit/sse/read-events'
import { modelOf } from '../../catalog/catalog.fixture.ts'
import type { Charged } from '../../surfaces/surface.ts'
import { wideLimits } from '../answer-limits.fixture.ts'
import { readObject } from '../chat/read-reply.ts'
import type { ProviderRequest } from '../provider.ts'
import type { StreamConverter } from '../stream-converter.ts'
import type { Usage } from '../usage.ts'
import { noUsage } from '../usage.ts'

/** The bytes of named events, as Anthropic writes them. */
export function sse(...events: readonly { readonly type: string }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
}

/** The frames of a chat completion stream. */
export function chatSse(...chunks: readonly unknown[]): string {
  return chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('')
}

export const begun = {
  id: 'msg_01ABC',
  type: 'message',
  role: 'assistant',
  model: 'claude-haiku-4-5-20251001',
  content: [],
  stop_reason: null,
  stop_sequence: null,
}

export const start = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
export const delta = (index: number, given: object) => ({ type: 'content_block_delta', index, delta: given })
export const stop = (index: number) => ({ type: 'content_block_stop', index })

/** A stream of Anthropic with every feature: thinking, text beyond ASCII, two tool calls, cache counts, a ping. */
export const fullStream = sse(
  {
    type: 'message_start',
    message: { ...begun, usage: { input_tokens: 25, cache_read_input_tokens: 100, output_tokens: 1 } },
  } as { type: string },
  start(0, { type: 'thinking', thinking: '', signature: '' }),
  { type: 'ping' },
  delta(0, { type: 'thinking_delta', thinking: 'Let me ' }),
  delta(0, { type: 'thinking_delta', thinking: 'see …' }),
  delta(0, { type: 'signature_delta', signature: 'c2lnbmF0dXJl' }),
  stop(0),
  start(1, { type: 'text', text: '' }),
  delta(1, { type: 'text_delta', text: 'Grüße, ' }),
  delta(1, { type: 'text_delta', text: '世界 👋' }),
  stop(1),
  start(2, { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} }),
  delta(2, { type: 'input_json_delta', partial_json: '' }),
  delta(2, { type: 'input_json_delta', partial_json: '{"city": "Os' }),
  delta(2, { type: 'input_json_delta', partial_json: 'lo"}' }),
  stop(2),
  start(3, { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} }),
  stop(3),
  {
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 89 },
  } as { type: string },
  { type: 'message_stop' },
)

/** The unstreamed message of `fullStream`. */
export const fullMessage = {
  ...begun,
  content: [
    { type: 'thinking', thinking: 'Let me see …', signature: 'c2lnbmF0dXJl' },
    { type: 'text', text: 'Grüße, 世界 👋' },
    { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Oslo' } },
    { type: 'tool_use', id: 'toolu_2', name: 'now', input: {} },
  ],
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 25, cache_read_input_tokens: 100, output_tokens: 89 },
}

export const usageOf = (promptTokens: number, completionTokens: number, parts: Partial<Usage> = {}): Usage => ({
  ...noUsage,
  promptTokens,
  completionTokens,
  ...parts,
})

/** A charge of 42 micro-dollars for the usage that the provider reported. */
export const charged: Charged = { usage: usageOf(125, 89), isReported: true, chargedNano: 42_000n }

/** A request as it is sent to a provider. */
export function requestOf(body: object, model: object = {}): ProviderRequest {
  const bytes = Buffer.from(JSON.stringify({ model: 'acme/fast', max_tokens: 100, ...body }))
  const read = readObject(bytes)
  if (read === null) throw new Error('not a JSON object')
  return {
    requestId: '0190b5f0-0000-7000-8000-00000000abcd',
    dialect: 'messages',
    model: modelOf(model),
    bytes,
    scan: read.scan,
    body: read.body,
    stream: read.body.stream === true,
    limits: wideLimits,
  }
}

/** The events of a stream that is cut at `cuts`. */
export function eventsOf(stream: string | Buffer, cuts: readonly number[] = []): SseEvent[] {
  const reader = createSseReader({ maxEventBytes: 1_048_576 })
  const events = piecesAt(Buffer.from(stream), cuts).flatMap((piece) => [...reader.push(piece)])
  const rest = reader.end()
  return rest === null ? events : [...events, rest]
}

/** The output of a converter for a stream that is cut at `cuts`. */
export function convert(converter: StreamConverter, stream: string | Buffer, cuts: readonly number[] = []): string {
  const pieces = piecesAt(Buffer.from(stream), cuts).map((piece) => converter.push(piece))
  return Buffer.concat([...pieces, converter.end()]).toString()
}

/** The data of each frame with the name of its event. */
export function readFrames(stream: string): { event: string | null; data: Record<string, unknown> }[] {
  return eventsOf(stream).map(({ event, data }) => ({ event, data: JSON.parse(String(data)) }))
}

function piecesAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...[...cuts].map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, index) => Buffer.from(bytes.subarray(places[index] ?? 0, end)))
}
