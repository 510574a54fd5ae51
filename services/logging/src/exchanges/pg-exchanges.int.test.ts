import type { Row } from '@ratchet/db/row'
import { storedExchanges } from '@ratchet/testing/stored-exchanges'
import { inlineSkeletons } from '../segments/inline-skeletons.fixture.ts'
import { UnstorableExchange } from './exchange-log.ts'
import { type LogDatabase, logDatabase, unsegmented } from './log-database.fixture.ts'
import { createPgExchanges } from './pg-exchanges.ts'

let database: LogDatabase

beforeAll(async () => {
  database = await logDatabase()
}, 60_000)
afterAll(() => database.drop())

/** A store as another process has one. */
function store() {
  return createPgExchanges({ pool: database.pool, newBlockId: () => crypto.randomUUID(), skeletons: inlineSkeletons })
}

async function rowsOf(indexes: readonly number[]) {
  const ids = indexes.map((index) => unsegmented(index).id)
  const rows = await storedExchanges<Row<'exchange'>>(database.operator, 'e.id = ANY($1)', [ids])
  return rows.filter(({ messages }) => messages !== null).toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

const support = (name: string) => `You are the support assistant of ${name}. Today is 2026-11-${name.length + 10}.`

describe('the log in Postgres', () => {
  it('stores every column', async () => {
    const meta = {
      tag: 't',
      traceId: 'run',
      stream: true,
      cached: true,
      ttftMs: 1.5,
      fallbackFrom: 'a/b',
      canary: true,
    }
    const exchange = unsegmented(1, {
      system: 'Be brief.',
      meta,
      request: { tools: [{ type: 'function' }], response_format: { type: 'text' }, temperature: 1 },
      message: { content: 'AKIAQYLPMN5HNM4OZ56B' },
    })
    expect(await store().write([exchange])).toBe(1)
    const [row] = await rowsOf([1])
    expect(row).toMatchObject({
      id: exchange.id,
      workspace_id: exchange.workspaceId,
      request_id: exchange.requestId,
      created_at: exchange.createdAt,
      expires_at: exchange.expiresAt,
      source: 'gateway',
      served_model: 'acme/fast',
      requested_model: 'fast',
      provider: 'acme',
      alias: null,
      canary: true,
      fallback_from: 'a/b',
      tag: 't',
      trace_id: 'run',
      segment: expect.stringMatching(/^seg_[0-9a-f]{16}$/),
      segment_exact: expect.stringMatching(/^[0-9a-f]{16}$/),
      finish_reason: 'stop',
      stream: true,
      cached: true,
      has_tool_calls: false,
      prompt_tokens: 3,
      completion_tokens: 4,
      reasoning_tokens: null,
      cost_nano: '3000',
      latency_ms: 12,
      ttft_ms: 1.5,
      redaction_count: 1,
      redaction_kinds: exchange.redactionKinds,
      size_bytes: exchange.sizeBytes,
      prompt_hash: exchange.promptHash,
      messages: exchange.content.messages,
      response: exchange.content.response,
      tools: '[{"type":"function"}]',
      response_format: '{"type":"text"}',
      params: '{"temperature":1}',
    })
  })

  it('stores a request once, also when another process writes it again', async () => {
    expect(await store().write([unsegmented(2), unsegmented(3)])).toBe(2)
    expect(await store().write([unsegmented(2), { ...unsegmented(4) }])).toBe(1)
    expect(await rowsOf([2, 3, 4])).toHaveLength(3)
  })

  it('stores all or nothing, and throws UnstorableExchange when a retry cannot succeed', async () => {
    const log = store()
    const bad = unsegmented(11, { meta: { tag: 'a\0b' } })
    await expect(log.write([unsegmented(10, { system: support('Nothing') }), bad])).rejects.toThrow(UnstorableExchange)
    expect(await rowsOf([10, 11])).toEqual([])
    await expect(log.write([unsegmented(12, { createdAt: new Date('2020-01-01') })])).rejects.toThrow(
      UnstorableExchange,
    )
    expect(await log.write([unsegmented(10)])).toBe(1)
  })

  it('creates the partition of a day again after it was dropped', async () => {
    const log = store()
    const exchange = unsegmented(13, { retentionDays: 90 })
    await log.write([exchange])
    const day = exchange.expiresAt.toISOString().slice(0, 10).replaceAll('-', '')
    await database.operator.query(`DROP TABLE exchange_${day}, exchange_content_${day}, exchange_block_${day}`)
    await expect(log.write([exchange])).rejects.toThrow()
    expect(await log.write([exchange])).toBe(1)
  })
})

describe('segments', () => {
  const other = '00000000-0000-7000-8000-0000000000ab'
  async function segmentsOf(indexes: readonly number[]): Promise<readonly string[]> {
    return (await rowsOf(indexes)).map(({ segment }) => segment)
  }

  it('is none without a system prompt', async () => {
    await store().write([unsegmented(20)])
    expect(await rowsOf([20])).toMatchObject([{ segment: 'none', segment_exact: 'none' }])
  })

  it('has one family for prompts that differ in their variable parts, with variants of their own', async () => {
    await store().write([unsegmented(21, { system: support('Acme') }), unsegmented(22, { system: support('Initech') })])
    const rows = await rowsOf([21, 22])
    expect(new Set(rows.map(({ segment }) => segment)).size).toBe(1)
    expect(new Set(rows.map(({ segment_exact }) => segment_exact)).size).toBe(2)
  })

  it('keeps its families after a restart, in the order of their founding', async () => {
    const prompts = ['Translate to French.', 'Write a poem about the sea and the wind.', support('Globex')]
    const first = prompts.map((system, index) => unsegmented(30 + index, { system }))
    await store().write(first)
    await store().write(prompts.toReversed().map((system, index) => unsegmented(40 + index, { system })))
    expect(await segmentsOf([42, 41, 40])).toEqual((await segmentsOf([30, 31, 32])).toReversed())
    expect((await segmentsOf([40, 41, 42])).toReversed()).toEqual(await segmentsOf([30, 31, 32]))
  })

  it('is the same whichever process finds a family first, also when several write at once', async () => {
    const stores = [store(), store(), store()]
    const writes = Array.from({ length: 30 }, (_, index) => {
      const pair = [
        unsegmented(100 + 2 * index, { system: `Family ${'abc'[index % 3]}: answer in one word.` }),
        unsegmented(101 + 2 * index, { system: 'Another one.', workspaceId: other }),
      ]
      return stores[index % 3]?.write(index % 2 === 0 ? pair : pair.toReversed())
    })
    expect((await Promise.all(writes)).reduce((sum: number, count) => sum + (count ?? 0), 0)).toBe(60)
    const { rows } = await database.operator.query<{ families: number; segments: number }>(`
      SELECT (SELECT count(*)::int FROM segment_family WHERE workspace_id = '${other}') AS families,
        (SELECT count(DISTINCT segment)::int FROM exchange WHERE workspace_id = '${other}') AS segments`)
    expect(rows).toEqual([{ families: 1, segments: 1 }])
  })

  it('discards a family whose exchange was not stored', async () => {
    const log = store()
    const system = 'A family of one workspace, about gardening.'
    await expect(log.write([unsegmented(50, { system, meta: { tag: 'a\0b' } })])).rejects.toThrow()
    await log.write([unsegmented(50, { system })])
    const [segment] = await segmentsOf([50])
    const { rowCount } = await database.operator.query('SELECT 1 FROM segment_family WHERE id = $1', [segment])
    expect(rowCount).toBe(1)
  })
})
