import { connectPool } from '@ratchet/db/connect-pool'
import { correctWallet } from '@ratchet/db/correct-wallet'
import { eventually } from '@ratchet/testing/eventually'
import { APIError, type OpenAI, toFile } from 'openai'
import { openaiFor } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { readLedger } from './ledger-oracle.ts'
import { readLog } from './logged-exchanges.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet({ evals: true })
}, 300_000)
afterAll(() => fleet?.stop(), 180_000)

interface Line {
  readonly id: string
  readonly model?: string
  readonly content?: string
  readonly url?: string
}

const chat = '/v1/chat/completions'
const lineOf = ({ id, model = 'sim/echo', content = `Answer ${id}.`, url = chat }: Line) =>
  JSON.stringify({
    custom_id: id,
    method: 'POST',
    url,
    body: { model, max_tokens: 50, messages: [{ role: 'user', content }] },
  })

async function upload(openai: OpenAI, lines: readonly string[]): Promise<string> {
  const file = await toFile(Buffer.from(`${lines.join('\n')}\n`), 'input.jsonl')
  return (await openai.files.create({ file, purpose: 'batch' })).id
}

async function start(openai: OpenAI, lines: readonly Line[], headers: Record<string, string> = {}) {
  const input_file_id = await upload(openai, lines.map(lineOf))
  return openai.batches.create({ input_file_id, endpoint: chat, completion_window: '24h' }, { headers })
}

function ended(openai: OpenAI, id: string): Promise<OpenAI.Batch> {
  return eventually(
    async () => {
      const batch = await openai.batches.retrieve(id)
      expect(['completed', 'cancelled', 'failed', 'expired']).toContain(batch.status)
      return batch
    },
    { withinMs: 75_000 },
  )
}

// biome-ignore lint/suspicious/noExplicitAny: files are read as their readers would
async function linesOf(openai: OpenAI, fileId: string | null | undefined): Promise<any[]> {
  if (fileId == null) return []
  const text = await (await openai.files.content(fileId)).text()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const ledgerOf = (workspaceId: string) => readLedger(fleet.databaseUrl, workspaceId)

async function someone(choices: Parameters<typeof workspaceWith>[1] = {}) {
  const workspace = await workspaceWith(fleet, choices)
  return { openai: openaiFor(fleet, { apiKey: workspace.apiKey }), ...workspace }
}

/** Leaves this much in the wallet, nano-dollars. */
async function leave(workspaceId: string, nano: bigint): Promise<void> {
  const pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 1 })
  try {
    const { balance } = await ledgerOf(workspaceId)
    const change = { workspaceId, amountNano: nano - balance, reference: `leave ${workspaceId}`, reason: 'a test' }
    expect(await correctWallet(pool, { pool }, change)).toMatchObject({ outcome: 'corrected' })
  } finally {
    await pool.end()
  }
}

it('runs the batch code of the openai package unchanged, and charges each request once', async () => {
  const { openai, workspaceId } = await someone({ loggingEnabled: true })
  const before = await ledgerOf(workspaceId)
  const lines = [...Array.from({ length: 30 }, (_, n) => ({ id: `case-${n}` })), { id: 'wrong', model: 'sim/fail-400' }]
  const headers = { 'x-svc-tag': 'nightly', 'x-svc-trace-id': 'night-1' }
  const created = await start(openai, lines, headers)
  expect(created).toMatchObject({ object: 'batch', endpoint: chat, completion_window: '24h', errors: null })
  const batch = await ended(openai, created.id)
  expect(batch).toMatchObject({ status: 'completed', request_counts: { total: 31, completed: 30, failed: 1 } })
  const output = await linesOf(openai, batch.output_file_id)
  expect(output.map((each) => each.custom_id)).toEqual(lines.slice(0, 30).map(({ id }) => id))
  expect(output.map((each) => each.response.body.choices[0].message.content)).toEqual(
    lines.slice(0, 30).map(({ id }) => `Answer ${id}.`),
  )
  expect(await linesOf(openai, batch.error_file_id)).toMatchObject([
    { custom_id: 'wrong', response: { status_code: 400, body: { error: { code: 'invalid_request' } } }, error: null },
  ])
  const after = await ledgerOf(workspaceId)
  const costUsd = output.reduce((sum, each) => sum + each.response.body.usage.cost_usd, 0)
  expect(after).toMatchObject({ held: 0n, open: 0, violations: [] })
  expect(Number(before.balance - after.balance) / 1e9).toBeCloseTo(costUsd, 9)
  expect((batch as unknown as { cost_usd: number }).cost_usd).toBeCloseTo(costUsd, 9)
  await eventually(async () => {
    const rows = (await readLog(fleet, workspaceId)).filter(({ tag }) => tag === 'nightly')
    expect(rows).toHaveLength(30)
    expect(new Set(rows.map((row) => row.trace_id))).toEqual(new Set(['night-1']))
  })
  const listed = []
  for await (const each of openai.batches.list({ limit: 1 })) listed.push(each.id)
  expect(listed).toEqual([created.id])
}, 120_000)

it.each([
  ['embeddings', '/v1/embeddings', { model: 'sim/embed', input: 'hot tea' }, 'data'],
  ['responses', '/v1/responses', { model: 'sim/echo', input: 'Hi.', store: false }, 'output'],
  ['completions', '/v1/completions', { model: 'sim/echo', prompt: 'Hi.' }, 'choices'],
  ['moderations', '/v1/moderations', { model: 'sim/moderate', input: 'violence' }, 'results'],
] as const)(
  'runs %s',
  async (_name, url, body, member) => {
    const { openai, workspaceId } = await someone()
    const input_file_id = await upload(openai, [JSON.stringify({ custom_id: 'a', method: 'POST', url, body })])
    const endpoint = url as '/v1/embeddings'
    const created = await openai.batches.create({ input_file_id, endpoint, completion_window: '24h' })
    const batch = await ended(openai, created.id)
    expect(await linesOf(openai, batch.error_file_id)).toEqual([])
    const [line] = await linesOf(openai, batch.output_file_id)
    expect(line.response.body[member]).toHaveLength(1)
    expect(await ledgerOf(workspaceId)).toMatchObject({ held: 0n, violations: [] })
  },
  120_000,
)

it('names what is wrong with each line, and holds nothing', async () => {
  const { openai, workspaceId } = await someone()
  const input_file_id = await upload(openai, [
    lineOf({ id: 'a' }),
    '{"custom_id": "b"',
    lineOf({ id: 'a' }),
    lineOf({ id: 'c', url: '/v1/embeddings' }),
  ])
  const wrong = await openai.batches.create({ input_file_id, endpoint: chat, completion_window: '24h' })
  expect(wrong).toMatchObject({ status: 'failed', request_counts: { total: 0 } })
  expect(wrong.errors?.data?.map(({ code, line, param }) => [code, line, param])).toEqual([
    ['invalid_json_line', 2, null],
    ['duplicate_custom_id', 3, 'custom_id'],
    ['mismatched_endpoint', 4, 'url'],
  ])
  const unknown = await start(openai, [{ id: 'a' }, { id: 'b', model: 'sim/none' }])
  expect(unknown.errors?.data).toMatchObject([{ code: 'model_not_found', line: 2, param: 'body.model' }])
  expect(await ledgerOf(workspaceId)).toMatchObject({ held: 0n, open: 0, violations: [] })
}, 60_000)

it('is a 402 without a batch when the wallet does not cover it', async () => {
  const { openai, workspaceId } = await someone()
  await leave(workspaceId, 1_000_000n)
  const lines = Array.from({ length: 20 }, (_, n) => ({ id: `${n}` }))
  const refused = await start(openai, lines).catch((error: unknown) => error)
  expect(refused).toMatchObject({ status: 402, code: 'insufficient_balance' })
  expect(refused).toBeInstanceOf(APIError)
  expect(await ledgerOf(workspaceId)).toMatchObject({ balance: 1_000_000n, held: 0n, open: 0, violations: [] })
  expect((await openai.batches.list()).data).toEqual([])
}, 60_000)

it('runs all requests out of what was held, while the wallet has no more', async () => {
  const { openai, workspaceId } = await someone()
  const lines = Array.from({ length: 12 }, (_, n) => ({ id: `${n}`, model: 'sim/slow-300' }))
  const created = await start(openai, lines)
  const { held } = await ledgerOf(workspaceId)
  await leave(workspaceId, held)
  const batch = await ended(openai, created.id)
  expect(batch.request_counts).toEqual({ total: 12, completed: 12, failed: 0 })
  expect(await ledgerOf(workspaceId)).toMatchObject({ held: 0n, open: 0, violations: [] })
}, 120_000)

it('begins no further request when it is cancelled, and returns what it held', async () => {
  const { openai, workspaceId } = await someone()
  const before = await ledgerOf(workspaceId)
  const lines = Array.from({ length: 60 }, (_, n) => ({ id: `${n}`, model: 'sim/slow-400' }))
  const created = await start(openai, lines)
  await eventually(async () => {
    expect((await openai.batches.retrieve(created.id)).request_counts?.completed).toBeGreaterThan(0)
  })
  expect((await openai.batches.cancel(created.id)).status).toBe('cancelling')
  const batch = await ended(openai, created.id)
  const { completed = 0, failed = 0, total = 0 } = batch.request_counts ?? {}
  expect([batch.status, completed + failed, completed < total]).toEqual(['cancelled', 60, true])
  const output = await linesOf(openai, batch.output_file_id)
  const errors = await linesOf(openai, batch.error_file_id)
  expect([output.length, errors.length, errors[0].error.code]).toEqual([completed, failed, 'batch_cancelled'])
  const after = await ledgerOf(workspaceId)
  const costUsd = output.reduce((sum, each) => sum + each.response.body.usage.cost_usd, 0)
  expect(after).toMatchObject({ held: 0n, open: 0, violations: [] })
  expect(Number(before.balance - after.balance) / 1e9).toBeCloseTo(costUsd, 9)
}, 120_000)

it('continues after its worker was killed, and asks and charges nothing twice', async () => {
  const { openai, workspaceId } = await someone()
  const before = await ledgerOf(workspaceId)
  await fleet.provider.reset()
  const lines = Array.from({ length: 40 }, (_, n) => ({ id: `${n}`, model: 'sim/slow-300' }))
  const created = await start(openai, lines)
  await eventually(async () => {
    expect((await openai.batches.retrieve(created.id)).request_counts?.completed).toBeGreaterThan(4)
  })
  fleet.evalWorker.signal('SIGKILL')
  await fleet.restartEvalWorker()
  const batch = await ended(openai, created.id)
  expect(batch.request_counts).toEqual({ total: 40, completed: 40, failed: 0 })
  const output = await linesOf(openai, batch.output_file_id)
  expect(new Set(output.map((each) => each.custom_id)).size).toBe(40)
  const after = await ledgerOf(workspaceId)
  const costUsd = output.reduce((sum, each) => sum + each.response.body.usage.cost_usd, 0)
  expect(after).toMatchObject({ held: 0n, open: 0, violations: [] })
  expect(Number(before.balance - after.balance) / 1e9).toBeCloseTo(costUsd, 9)
  expect((await fleet.provider.report({ model: 'sim/slow-300' })).requests).toHaveLength(40)
}, 180_000)

it('expires with its unanswered requests in the error file', async () => {
  const { openai, workspaceId } = await someone()
  const lines = Array.from({ length: 40 }, (_, n) => ({ id: `${n}`, model: 'sim/slow-500' }))
  const created = await start(openai, lines)
  const pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 1 })
  try {
    await pool.query('UPDATE batch SET expires_at = now() WHERE workspace_id = $1', [workspaceId])
  } finally {
    await pool.end()
  }
  const batch = await ended(openai, created.id)
  expect(batch.status).toBe('expired')
  const errors = await linesOf(openai, batch.error_file_id)
  expect(new Set(errors.map(({ error }) => error.code))).toEqual(new Set(['batch_expired']))
  expect(errors).toHaveLength(batch.request_counts?.failed ?? 0)
  expect(await ledgerOf(workspaceId)).toMatchObject({ held: 0n, open: 0, violations: [] })
}, 120_000)
