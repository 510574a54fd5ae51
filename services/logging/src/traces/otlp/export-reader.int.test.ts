import { longestTurnMs } from '../../threads/longest-turn.fixture.ts'
import { createExportReader, type ExportReader, type ExportReaderOptions } from './export-reader.ts'
import { unpack } from './export-task.ts'
import { otlpRequest, startMs } from './otlp-request.fixture.ts'
import { type ExportOrder, readExport } from './read-export.ts'

const stops: (() => unknown)[] = []
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())))

const reader = (options: Partial<ExportReaderOptions> = {}): ExportReader =>
  createExportReader({ onStop: (stop) => stops.push(stop), ...options })

const orderOf = (bytes: Buffer, workspaceId = 'a', encoding: ExportOrder['encoding'] = 'json'): ExportOrder => ({
  encoding,
  bytes,
  owner: { workspaceId, retentionDays: 7 },
  now: new Date(startMs + 60_000),
})

const chat = (text: string) => ({
  'gen_ai.operation.name': 'chat',
  'gen_ai.request.model': 'gpt-4o',
  'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: text }] }]),
  'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: 'Yes' }] }]),
})
/** A batch of an exporter: calls of a model with long prompts, and other steps. */
const batch = (spans: number, prompt: string) => {
  const idOf = (index: number) => (index + 1).toString(16).padStart(16, '0')
  const all = Array.from({ length: spans }, (_, index) => ({
    spanId: idOf(index),
    attributes: index % 2 === 0 ? chat(`${index} ${prompt}`) : { 'tool.name': 'search', step: index },
  }))
  return Buffer.from(JSON.stringify(otlpRequest(all, { 'service.name': 'agent' })))
}

/** Less than 2 KB when it is compressed. */
const costly = Buffer.from(`{"resourceSpans":[${'{},'.repeat(450_000)}{}]}`)
const costlyProtobuf = Buffer.alloc(900_000, Buffer.from([10, 0]))

it.each([
  ['a small export', batch(3, 'Hi')],
  ['a large export', batch(512, 'Grüße '.repeat(2_000))],
])('reads %s as the same code does without a thread', async (_case, bytes) => {
  const order = orderOf(bytes)
  const { calls, others, ...counts } = await reader().read(order)
  expect({ calls: calls.flatMap(unpack), others: others.flatMap(unpack), ...counts }).toEqual(readExport(order))
})

it.each([
  ['JSON with very many parts', orderOf(costly)],
  ['protobuf with very many parts', orderOf(costlyProtobuf, 'a', 'protobuf')],
  ['very many spans', orderOf(batch(5_000, ''))],
])('leaves the event loop free while it reads %s', async (_case, order) => {
  const exports = reader()
  await exports.read(orderOf(batch(100, '')))
  expect(await longestTurnMs(Promise.all([exports.read(order), exports.read(order)]))).toBeLessThan(50)
})

it('reads the export of another workspace next, however many one sends', async () => {
  const exports = reader()
  const order: string[] = []
  const read = async (workspaceId: string, bytes: Buffer) => {
    await exports.read(orderOf(bytes, workspaceId))
    order.push(workspaceId)
  }
  await Promise.all([...Array.from({ length: 5 }, () => read('many', costly)), read('one', batch(512, 'Hi'))])
  expect(order.indexOf('one')).toBeLessThanOrEqual(1)
})

const tooLarge = { status: 'rejected', reason: { code: 'request_too_large' } }

it('refuses an export that needs more memory than it may have, and reads those that wait', async () => {
  const exports = reader({ limits: { ms: 60_000, heapMb: 32 } })
  const outcomes = await Promise.allSettled([
    exports.read(orderOf(costly)),
    exports.read(orderOf(batch(100, ''), 'b')),
    exports.read(orderOf(costly)),
  ])
  expect(outcomes).toMatchObject([tooLarge, { status: 'fulfilled', value: { rejected: 0 } }, tooLarge])
})

it('asks to retry an export that takes too much time, which may be for the load of others', async () => {
  const exports = reader({ limits: { ms: 40, heapMb: 512 } })
  await expect(exports.read(orderOf(costly))).rejects.toMatchObject({ code: 'service_unavailable' })
})

it('names the field because of which a large body is not an export', async () => {
  const body = Buffer.from(JSON.stringify({ resourceSpans: [{ scopeSpans: 'x'.repeat(10_000) }] }))
  await expect(reader().read(orderOf(body))).rejects.toMatchObject({
    code: 'invalid_request',
    param: 'resourceSpans.0.scopeSpans',
  })
})
