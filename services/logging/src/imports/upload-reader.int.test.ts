import { splitList } from '@ratchet/service-kit/json/split-list'
import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { readExample } from '../datasets/read-example.ts'
import { longestTurnMs } from '../threads/longest-turn.fixture.ts'
import { maxEntryBytes } from './entry-lines.ts'
import { type EntryOrder, readEntry } from './read-entry.ts'
import { createUploadReader, type UploadReaderOptions } from './upload-reader.ts'

const stops: (() => unknown)[] = []
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())))

const reader = (options: Pick<UploadReaderOptions, 'limits'> = {}) =>
  createUploadReader({ onStop: (stop) => stops.push(stop), ...options })

const orderOf = (text: string, workspaceId = 'a'): EntryOrder => ({
  text,
  workspaceId,
  retentionDays: 7,
  id: '00000000-0000-7000-8000-000000000001',
  at: new Date('2026-11-21T10:00:00Z'),
})
const conversation = (content: unknown) => [
  { role: 'user', content },
  { role: 'assistant', content: 'Yes' },
]
/** Enough for costly entries on a busy machine. */
const patient = { limits: { ms: 60_000, heapMb: 256 } }
const large = 'word "quoted" \\ ü '.repeat(5_000)
/** Numbers that a double would write in another way, which cost most to keep as they are. */
const costly = (count: number) => `{"messages":[{"role":"user","content":[${'1.0,'.repeat(count)}1.0]}]}`
/** Objects, which need most memory. */
const costlyMemory = `{"messages":[${'{"a":{}},'.repeat(100_000)}{}]}`

it.each([
  ['a small entry', JSON.stringify({ messages: conversation('Hi') })],
  ['a large entry', JSON.stringify({ messages: conversation(large), id: 'x', created_at: '2026-11-20T10:00:00Z' })],
  ['exact numbers', `{"messages":${JSON.stringify(conversation(large))},"params":{"seed":12345678901234567890}}`],
  ['an entry that is too large', JSON.stringify({ messages: conversation(large.repeat(10)) })],
  ['a wrong field', JSON.stringify({ messages: conversation(large), stream: 7 })],
  ['no JSON', large],
])('reads %s as the same code does without a thread', async (_case, text) => {
  const uploads = reader()
  expect(await uploads.entry(orderOf(text))).toEqual(readEntry(orderOf(text)))
  const example = { workspaceId: 'a', format: 'chat', text, path: ['examples', 3] } as const
  expect(await uploads.example(example)).toEqual(readExample(example))
})

it('leaves the event loop free while it reads costly entries', async () => {
  const uploads = reader()
  await uploads.entry(orderOf(large))
  const reads = [
    uploads.entry(orderOf(costly(250_000))),
    uploads.example({ ...orderOf(costly(250_000)), format: 'chat', path: [] }),
  ]
  expect(await longestTurnMs(Promise.all(reads))).toBeLessThan(50)
})

it('reads an ordinary entry while the costly one of another workspace is read', async () => {
  const uploads = reader(patient)
  await Promise.all([uploads.entry(orderOf(large)), uploads.entry(orderOf(costly(100_000)))])
  const order: string[] = []
  await Promise.all([
    uploads.entry(orderOf(costly(250_000), 'costly')).then(() => order.push('costly')),
    uploads.entry(orderOf(large, 'other')).then(() => order.push('other')),
  ])
  expect(order).toEqual(['other', 'costly'])
}, 120_000)

it('reads the entry of another workspace next, however many one sends', async () => {
  const uploads = reader(patient)
  const order: string[] = []
  const read = async (workspaceId: string, text: string) => {
    await uploads.entry(orderOf(text, workspaceId))
    order.push(workspaceId)
  }
  await Promise.all([...Array.from({ length: 5 }, () => read('many', costly(200_000))), read('one', costly(100_000))])
  expect(order.indexOf('one')).toBeLessThanOrEqual(1)
}, 120_000)

it('asks to retry an entry that takes too much time, which may be for the load of others', async () => {
  const uploads = reader({ limits: { ms: 20, heapMb: 256 } })
  const refused = { code: 'service_unavailable', headers: { 'retry-after': '1' } }
  await expect(uploads.entry(orderOf(costly(250_000)))).rejects.toMatchObject(refused)
  await expect(uploads.example({ ...orderOf(costly(250_000)), format: 'chat', path: [] })).rejects.toMatchObject(
    refused,
  )
})

it('refuses as too large what needs too much memory, and reads what waits', async () => {
  const uploads = reader({ limits: { ms: 60_000, heapMb: 16 } })
  const ofOther = orderOf(JSON.stringify({ messages: conversation(large) }), 'b')
  const reads = [uploads.entry(orderOf(costlyMemory)), uploads.entry(ofOther)]
  expect(await Promise.all(reads)).toMatchObject([{ kind: 'too-large' }, { kind: 'read' }])
})

it('reads the entries of a body of 16 MB without blocking the event loop', async () => {
  const uploads = reader()
  const item = costly(3_000)
  const count = Math.floor((16 * 1024 * 1024) / (item.length + 1)) - 1
  const body = Buffer.from(`{"logs":[${`${item},`.repeat(count)}${item}]}`)
  const read = async () => {
    const { items } = await createSlicedWork().run(splitList(body, 'logs', { maxItemBytes: maxEntryBytes }))
    let refused = 0
    for await (const text of items ?? []) {
      if (text === null) continue
      const { kind } = await uploads.entry(orderOf(text))
      if (kind === 'refused') refused += 1
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(refused).toBe(count + 1)
  }
  expect(await longestTurnMs(read())).toBeLessThan(100)
})
