import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { unlimitedPlaces } from '@ratchet/service-kit/timing/fair-places'
import { type ExchangeLog, UnstorableExchange } from '../exchanges/exchange-log.ts'
import type { UnsegmentedExchange } from '../exchanges/raw-exchange.ts'
import { inlineRedactor } from '../redaction/inline-redactor.fixture.ts'
import { entriesOf, linesOf } from './entry-lines.ts'
import { type ImportDeps, importLogs } from './import-logs.ts'
import { inlineUploads } from './inline-uploads.fixture.ts'

const at = new Date('2026-11-21T10:00:00Z')

/** A log in memory that refuses entries with `unstorable`, and records the exchanges that it received. */
function memoryLog() {
  const rows: UnsegmentedExchange[] = []
  const batches: number[] = []
  const log: ExchangeLog = {
    async write(exchanges) {
      batches.push(exchanges.length)
      if (exchanges.some(({ content }) => content.messages.includes('unstorable'))) throw new UnstorableExchange('no')
      rows.push(...exchanges)
      return exchanges.length
    },
  }
  const known: ImportDeps['importStore']['known'] = async ({ requestIds, entryIds }) =>
    new Set(
      rows.flatMap(({ id, requestId }) => [id, requestId]).filter((id) => [...requestIds, ...entryIds].includes(id)),
    )
  return { rows, batches, log, storage: { add: async () => undefined }, importStore: { known } }
}

function setUp(changes: Partial<ImportDeps> = {}) {
  const memory = memoryLog()
  const events: string[] = []
  let ids = 0
  const deps: ImportDeps = {
    ...memory,
    redactor: inlineRedactor,
    uploads: inlineUploads,
    places: unlimitedPlaces,
    now: () => at,
    newId: () => {
      ids += 1
      return `00000000-0000-7000-8000-${String(ids).padStart(12, '0')}`
    },
    onImport: (event) => events.push('count' in event ? `${event.kind} ${event.count}` : event.kind),
    ...changes,
  }
  const owner = { workspaceId: 'w', retentionDays: 7 }
  return {
    ...memory,
    events,
    list: (entries: readonly unknown[]) =>
      importLogs(deps, {
        ...owner,
        lines: entriesOf(
          entries.map((each) => JSON.stringify(each)),
          'logs',
        ),
        where: 'logs',
      }),
    file: (content: AsyncIterable<Uint8Array>) =>
      importLogs(deps, { ...owner, lines: linesOf(content, 'file'), where: 'file' }),
  }
}

const entry = (text: string) => ({
  model: 'acme/fast',
  messages: [{ role: 'user', content: text }],
  response: { role: 'assistant', content: 'x' },
})

it('stores old entries for the full retention from now on', async () => {
  const { list, rows } = setUp()
  await list([{ ...entry('old'), created_at: '2020-01-01T02:00:00+02:00' }, entry('undated')])
  expect(rows).toMatchObject([
    { createdAt: new Date('2020-01-01T00:00:00Z'), expiresAt: new Date('2026-11-28T10:00:00Z'), source: 'import' },
    { createdAt: at, expiresAt: new Date('2026-11-28T10:00:00Z'), costNano: null, provider: 'acme', workspaceId: 'w' },
  ])
})

const fragile = '{"id":12345678901234567890,"price":1.10,"far":1e400}'
const exactLine = `{"model":"acme/fast","messages":[{"role":"user","content":[{"type":"x","input":${fragile}}]}],"response":{"role":"assistant","content":"y","extra":${fragile}},"tools":[${fragile}],"params":{"temperature":1.0},"prompt_tokens":3.0}`

it('keeps the numbers of content as they were written, of lines and of lists', async () => {
  const { file, rows } = setUp()
  await file(Readable.from([Buffer.from(exactLine)]))
  const [row] = rows
  expect(row?.promptTokens).toBe(3)
  expect(row?.content.messages).toContain(fragile)
  expect(row?.content.response).toContain(fragile)
  expect(row?.content.tools).toBe(`[${fragile}]`)
  expect(row?.content.params).toContain('1.0')
})

it('uses the last message of a training example as the response', async () => {
  const { list, rows } = setUp()
  const messages = [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: 'b', weight: 1 },
  ]
  await list([{ messages, tools: [{ type: 'function' }], parallel_tool_calls: false }])
  expect(rows[0]).toMatchObject({ servedModel: 'unknown', requestedModel: 'unknown', provider: 'unknown' })
  expect(rows[0]?.content).toEqual({
    messages: '[{"role":"user","content":"a"}]',
    response: '{"role":"assistant","content":"b","weight":1}',
    tools: '[{"type":"function"}]',
    responseFormat: null,
    params: '{"parallel_tool_calls":false}',
  })
})

it('identifies entries by their ids, and those without by their content', async () => {
  const { list, rows, events } = setUp()
  const logs = [
    entry('a'),
    entry('a'),
    { ...entry('a'), id: '1' },
    { ...entry('b'), id: '1' },
    { ...entry('a'), tag: 't' },
  ]
  expect(await list(logs)).toMatchObject({ imported: 3, duplicates: 2 })
  expect(await list(logs)).toMatchObject({ imported: 0, duplicates: 5 })
  expect(rows).toHaveLength(3)
  expect(events).toEqual(['stored 3', 'duplicate 2', 'stored 0', 'duplicate 5'])
})

it('stores nothing that is derived from a secret', async () => {
  const { list, rows } = setUp()
  const secret = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'
  await list([entry(`It is ${secret}`)])
  const reported = JSON.stringify(rows.map(({ words: _hashes, ...row }) => row))
  expect(reported).toContain('[redacted]')
  expect(reported).not.toContain(secret)
  const same = setUp()
  await same.list([entry('It is [redacted]')])
  expect(rows[0]?.requestId).toBe(same.rows[0]?.requestId)
  expect(rows[0]?.promptHash).toEqual(
    createHash('sha256')
      .update(rows[0]?.content.messages ?? '')
      .digest(),
  )
})

it('skips only the entry that the log refuses, and reports it', async () => {
  const { list, rows } = setUp()
  const logs = Array.from({ length: 7 }, (_, n) => entry(n === 4 ? 'unstorable' : `${n}`))
  expect(await list(logs)).toMatchObject({ imported: 6, failed: 1, errors: [{ line: 5, param: 'logs.4' }] })
  expect(rows).toHaveLength(6)
})

it('skips only the entry that cannot be redacted', async () => {
  const exchanges: ImportDeps['redactor']['exchanges'] = async (workspaceId, all) => {
    const [first, ...others] = await inlineRedactor.exchanges(workspaceId, all)
    return first === undefined ? [] : [{ kind: 'failed', reason: 'it hangs' }, ...others]
  }
  const { list } = setUp({ redactor: { exchanges } })
  expect(await list([entry('a'), entry('b')])).toMatchObject({
    imported: 1,
    errors: [{ line: 1, param: 'logs.0', message: 'The entry could not be redacted, so it was not stored.' }],
  })
})

it('answers that the client should retry when the log cannot be written', async () => {
  const { list } = setUp({ log: { write: () => Promise.reject(new Error('unavailable')) } })
  await expect(list([entry('a')])).rejects.toMatchObject({
    code: 'service_unavailable',
    headers: { 'retry-after': '1' },
  })
})

it('reads at most one batch ahead of the stored entries', async () => {
  let sent = 0
  const ahead: number[] = []
  const memory = memoryLog()
  const log: ExchangeLog = {
    write(exchanges) {
      ahead.push(sent - memory.rows.length)
      return memory.log.write(exchanges)
    },
  }
  async function* content() {
    for (; sent < 300; sent++) yield Buffer.from(`${JSON.stringify(entry(`${sent} ${'x'.repeat(60_000)}`))}\n`)
  }
  const { file } = setUp({ log, importStore: memory.importStore })
  expect(await file(content())).toMatchObject({ imported: 300 })
  expect(Math.max(...ahead)).toBeLessThan(80)
  expect(Math.max(...memory.batches)).toBeLessThanOrEqual(71)
})

it('numbers lines like an editor', async () => {
  const { file } = setUp()
  async function* content() {
    yield Buffer.from(`\uFEFF${JSON.stringify(entry('a'))}\r\n\r\n{"model":1}`)
  }
  expect(await file(content())).toMatchObject({ imported: 1, errors: [{ line: 3, param: 'file.3.messages' }] })
})
