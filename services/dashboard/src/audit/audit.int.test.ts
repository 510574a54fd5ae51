import { readMe } from '@ratchet/contracts/dashboard/account'
import { type AuditEvent, listAudit } from '@ratchet/contracts/dashboard/audit'
import { createApiKey } from '@ratchet/contracts/dashboard/keys'
import { publicId } from '@ratchet/contracts/public-id'
import { startTestDashboard, type TestBrowser, type TestDashboard } from '../dashboard.fixture.ts'

let dashboard: TestDashboard
let owner: TestBrowser
let ids: { workspaceId: string; userId: string }
const params = { slug: 'acme' }
const keyId = '00000000-0000-7000-8000-0000000000aa'
const judgeId = '00000000-0000-7000-8000-0000000000bb'

beforeAll(async () => {
  dashboard = await startTestDashboard()
  owner = await dashboard.owner('acme')
  ids = await idsOf('acme', owner)
})
afterAll(() => dashboard.stop())

async function idsOf(slug: string, browser: TestBrowser) {
  const { rows } = await dashboard.pool.query('SELECT id FROM workspace WHERE slug = $1', [slug])
  return { workspaceId: rows[0].id, userId: (await browser.call(readMe)).user?.id ?? '' }
}

/** A change of a judge by a key, one of an alias by its gate, and a payment, one second apart from each other. */
async function changeElsewhere({ workspaceId, userId }: typeof ids, from: Date): Promise<void> {
  const at = (seconds: number) => new Date(from.getTime() + seconds * 1_000)
  await dashboard.pool.query(
    `INSERT INTO criterion_event (id, workspace_id, criterion_id, kind, user_id, key_id, request_id, before, after, created_at)
     VALUES (gen_random_uuid(), $1, $2, 'update', $3, $4, 'r1', '{"prompt":"a"}', '{"prompt":"b"}', $5)`,
    [workspaceId, judgeId, userId, keyId, at(1)],
  )
  await dashboard.pool.query(
    `INSERT INTO alias_event (id, workspace_id, alias_id, alias_name, kind, evidence, created_at)
     VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'Support', 'gate_rollback', '{}', $2)`,
    [workspaceId, at(2)],
  )
  await dashboard.pool.query(
    `INSERT INTO top_up (id, workspace_id, provider, amount, created_by, created_at)
     VALUES (gen_random_uuid(), $1, 'stripe', 5000000000, $2, $3)`,
    [workspaceId, userId, at(3)],
  )
}

const actions = (events: readonly AuditEvent[]) => events.map(({ action }) => action)

it('merges changes of judges and aliases and payments with its own, by time, and names who made them', async () => {
  await changeElsewhere(ids, new Date(Date.now() + 60_000))
  const { data } = await owner.call(listAudit, { params })
  const me = { id: ids.userId }
  expect(data.slice(0, 3)).toMatchObject([
    {
      action: 'wallet.top_up_begun',
      actor: me,
      after: { amount_nano: '5000000000', status: 'pending' },
      request_id: null,
    },
    { action: 'alias.gate_rollback', actor: null, subject: 'Support', key_id: null },
    {
      action: 'judge.changed',
      actor: me,
      key_id: keyId,
      subject: publicId('criterion', judgeId),
      before: { prompt: 'a' },
      after: { prompt: 'b' },
    },
  ])
  expect(actions(data)).toContain('setup.completed')
  const times = data.map(({ at }) => at)
  expect(times).toEqual([...times].sort().reverse())
})

it('pages through all of them without a gap or a repetition, also where many have the same time', async () => {
  const at = new Date(Date.now() + 120_000)
  for (let n = 0; n < 4; n += 1) await changeElsewhere(ids, new Date(at.getTime() - n * 1_000))
  const all = (await owner.call(listAudit, { params, query: { limit: 200 } })).data
  const paged: AuditEvent[] = []
  for (let hasMore = true; hasMore; ) {
    const after = paged.at(-1)?.id
    const page = await owner.call(listAudit, { params, query: { limit: 2, ...(after === undefined ? {} : { after }) } })
    paged.push(...page.data)
    hasMore = page.has_more
  }
  expect(paged).toEqual(all)
  expect(new Set(paged.map(({ id }) => id)).size).toBe(all.length)
})

it('names the creation of an alias, also one that an earlier release called a repoint', async () => {
  const before = [null, '{}', null]
  for (const [n, kind] of ['repoint', 'repoint', 'created'].entries()) {
    await dashboard.pool.query(
      `INSERT INTO alias_event (id, workspace_id, alias_id, alias_name, kind, before, after, created_at)
       VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'new', $2::alias_event_kind, $3, '{}', now() + $4 * interval '1 second')`,
      [ids.workspaceId, kind, before[n], n],
    )
  }
  const { data } = await owner.call(listAudit, { params, query: { subject: 'new' } })
  expect(actions(data)).toEqual(['alias.created', 'alias.repoint', 'alias.created'])
})

it('filters by person, action and a part of what was changed', async () => {
  await owner.call(createApiKey, { params, body: { name: 'deploy' } })
  const read = async (query: object) => (await owner.call(listAudit, { params, query: { limit: 200, ...query } })).data
  expect(new Set(actions(await read({ action: 'alias.gate_rollback' })))).toEqual(new Set(['alias.gate_rollback']))
  expect(new Set(actions(await read({ subject: 'SUPP' })))).toEqual(new Set(['alias.gate_rollback']))
  expect(new Set(actions(await read({ subject: publicId('criterion', judgeId) })))).toEqual(new Set(['judge.changed']))
  const mine = await read({ actor: ids.userId })
  expect(actions(mine)).toEqual(expect.arrayContaining(['key.created', 'judge.changed', 'wallet.top_up_begun']))
  expect(actions(mine)).not.toContain('alias.gate_rollback')
  expect(await read({ subject: '%' })).toEqual([])
})

it('shows nothing of another workspace, also after an event of it', async () => {
  const other = await dashboard.owner('other')
  await changeElsewhere(await idsOf('other', other), new Date())
  const [foreign] = (await other.call(listAudit, { params: { slug: 'other' }, query: { action: 'judge.changed' } }))
    .data
  const { data } = await owner.call(listAudit, { params, query: { limit: 200 } })
  expect(data.map(({ id }) => id)).not.toContain(foreign?.id)
  const after = foreign?.id ?? ''
  expect((await owner.call(listAudit, { params, query: { after } })).data).toEqual([])
})

it('is a table with the same filters, in which no cell is run as a formula', async () => {
  await dashboard.pool.query(`UPDATE app_user SET name = '=1+1' WHERE id = $1`, [ids.userId])
  await owner.call(createApiKey, { params, body: { name: 'deploy' } })
  const read = async (query: string) => {
    const answer = await owner.send(`/api/w/acme/audit.csv${query}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('text/csv')
    expect(answer.headers.get('content-disposition')).toContain('audit.csv')
    return (await answer.text()).trimEnd().split('\r\n')
  }
  const all = await read('')
  const listed = (await owner.call(listAudit, { params, query: { limit: 200 } })).data
  expect(all[0]).toMatch(/^id,at,action,actor_id,/)
  expect(all.slice(1).map((line) => line.slice(0, line.indexOf(',')))).toEqual(listed.map(({ id }) => id))
  const keys = await read('?action=key.created')
  expect(keys.length).toBe(1 + listed.filter(({ action }) => action === 'key.created').length)
  expect(keys[1]).toContain(`,key.created,${ids.userId},'=1+1,owner@acme.example,`)
  expect((await owner.send('/api/w/acme/audit.csv?nothing=1')).status).toBe(400)
  const admin = await dashboard.member(owner, 'acme', { role: 'admin' })
  expect((await admin.send('/api/w/acme/audit.csv')).status).toBe(403)
})

it('is downloaded as a whole, sealed, by owners', async () => {
  const answer = await owner.send('/api/w/acme/audit.jsonl')
  expect(answer.headers.get('content-disposition')).toContain('audit.jsonl')
  const lines = (await answer.text()).trimEnd().split('\n')
  const entries = lines.map((line) => JSON.parse(line))
  expect(entries.map(({ position }) => position)).toEqual(entries.map((_, index) => index + 1))
  const actions = entries.map(({ content }) => JSON.parse(content).action)
  expect(actions).toEqual(expect.arrayContaining(['setup.completed', 'judge.changed', 'wallet.top_up_begun']))
  const admin = await dashboard.member(owner, 'acme', { role: 'admin' })
  expect((await admin.send('/api/w/acme/audit.jsonl')).status).toBe(403)
})

it('is for owners only', async () => {
  const admin = await dashboard.member(owner, 'acme', { role: 'admin' })
  await expect(admin.call(listAudit, { params })).rejects.toMatchObject({ status: 403 })
})
