import { listAllCredits, readLedgers, readWork, retryWork } from '@ratchet/contracts/dashboard/admin-ledgers'
import { listAudit } from '@ratchet/contracts/dashboard/audit'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { startTestDashboard, type TestBrowser, type TestDashboard } from '../dashboard.fixture.ts'
import { type ScriptedInference, startScriptedInference } from '../scripted-inference.fixture.ts'

let dashboard: TestDashboard
let inference: ScriptedInference
let operator: TestBrowser
let member: TestBrowser
let workspaceId: string

beforeAll(async () => {
  inference = await startScriptedInference(() => dashboard.inferenceKey)
  dashboard = await startTestDashboard({ env: inference.env })
  operator = await dashboard.owner('acme')
  member = await dashboard.member(operator, 'acme', { role: 'admin' })
  const { rows } = await dashboard.pool.query("SELECT id FROM workspace WHERE slug = 'acme'")
  workspaceId = rows[0].id
})
afterAll(async () => {
  await dashboard.stop()
  await inference.stop()
})

const page = { total: 2, limit: 50, offset: 0, has_more: false }
const credit = { at: '2026-11-24T12:00:00.000Z', amount_nano: '5', reference: 'inv-1', kind: 'top_up' } as const

it('names the workspaces of credits by their addresses', async () => {
  const unknown = '00000000-0000-7000-8000-000000000009'
  const data = [
    { ...credit, workspace_id: workspaceId },
    { ...credit, workspace_id: unknown },
  ]
  inference.answer = { status: 200, body: { object: 'list', data, ...page } }
  const reply = await operator.call(listAllCredits)
  expect(reply.data).toEqual([
    { ...credit, slug: 'acme' },
    { ...credit, slug: unknown },
  ])
  expect(inference.calls.at(-1)).toMatchObject({ identity: fleetIdentity })
})

const audit = {
  ledger: 'main',
  audited_at: '2026-11-24T12:00:00.000Z',
  checked: 14,
  violations: [{ invariant: '0 <= held <= balance', count: 1, example: 'x' }],
  open_requests: 1,
  oldest_open_seconds: 3_700.5,
  overdue_requests: 1,
  held_nano: '7',
  written_off_nano: '0',
}

it('shows what the audits of the ledgers found', async () => {
  inference.answer = { status: 200, body: { object: 'list', data: [audit] } }
  expect(await operator.call(readLedgers)).toEqual({ object: 'list', data: [audit] })
})

it.each([listAllCredits, readLedgers])(
  'says of a ledger that does not answer that it is unavailable: $path',
  async (endpoint) => {
    inference.answer = { status: 500, body: {} }
    await expect(operator.call(endpoint)).rejects.toMatchObject({ status: 503 })
  },
)

it.each([listAllCredits, readLedgers, readWork])(
  'shows nothing to those who are no operators: $path',
  async (endpoint) => {
    await expect(member.call(endpoint)).rejects.toMatchObject({ status: 403 })
    await expect(dashboard.browser().call(endpoint)).rejects.toMatchObject({ status: 401 })
  },
)

describe('dead-lettered work', () => {
  async function addJudgement(owned: string, source: string, error: string): Promise<void> {
    const client = await dashboard.pool.connect()
    try {
      // The rows that this row references are not needed here.
      await client.query("SET session_replication_role = 'replica'")
      await client.query(
        `INSERT INTO judgement (id, workspace_id, criterion_id, run_id, source, instrument, log_id, created_at, state, failures, last_error)
         VALUES (gen_random_uuid(), $1, $1, CASE $2 WHEN 'scan' THEN $1::uuid END, $2::judgement_source, 1, gen_random_uuid(), now(), 'poisoned', 5, $3)`,
        [owned, source, error],
      )
      await client.query('RESET session_replication_role')
    } finally {
      client.release()
    }
  }
  const counts = async () => {
    const { data } = await operator.call(readWork)
    return data.map(({ slug, source, error, count, can_retry }) => [slug, source, error, count, can_retry])
  }

  it('is listed by workspace and reason, and only what can be retried is, once, with a row in the audit', async () => {
    await dashboard.owner('other')
    const { rows } = await dashboard.pool.query("SELECT id FROM workspace WHERE slug = 'other'")
    const other = rows[0].id
    for (const owned of [workspaceId, workspaceId, other]) await addJudgement(owned, 'online', 'provider said no')
    await addJudgement(workspaceId, 'scan', 'provider said no')
    await addJudgement(workspaceId, 'online', 'out of memory')
    const before = await counts()
    expect(before[0]).toEqual(['acme', 'online', 'provider said no', 2, true])
    expect(before.slice(1).sort()).toEqual([
      ['acme', 'online', 'out of memory', 1, true],
      ['acme', 'scan', 'provider said no', 1, false],
      ['other', 'online', 'provider said no', 1, true],
    ])
    const body = { slug: 'acme', error: 'provider said no' }
    await expect(member.call(retryWork, { body })).rejects.toMatchObject({ status: 403 })
    expect(await operator.call(retryWork, { body })).toEqual({ object: 'retry', retried: 2 })
    expect(await operator.call(retryWork, { body })).toEqual({ object: 'retry', retried: 0 })
    const { queues, total } = await operator.call(readWork, { query: { limit: 1 } })
    expect(queues[0]).toMatchObject({ queue: 'judgements', pending: 2, due: 2, dead_lettered: 3 })
    expect(total).toBe(3)
    const { data } = await operator.call(listAudit, { params: { slug: 'acme' }, query: { action: 'work.retried' } })
    expect(data).toMatchObject([{ subject: 'judgements', after: { error: 'provider said no', retried: 2 } }])
    await expect(operator.call(retryWork, { body: { ...body, slug: 'none' } })).rejects.toMatchObject({ status: 404 })
  })
})
