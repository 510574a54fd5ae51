import { randomUUID } from 'node:crypto'
import { listAudit } from '@ratchet/contracts/dashboard/audit'
import { maxBudgets, removeBudget, type SetBudget, setBudget } from '@ratchet/contracts/dashboard/budgets'
import { createApiKey } from '@ratchet/contracts/dashboard/keys'
import { startTestDashboard, type TestBrowser, type TestDashboard } from '../dashboard.fixture.ts'

let dashboard: TestDashboard
let owner: TestBrowser
const params = { slug: 'acme' }

beforeAll(async () => {
  dashboard = await startTestDashboard()
  owner = await dashboard.owner('acme')
})
afterAll(() => dashboard.stop())

type Body = Omit<SetBudget, 'fallback_model' | 'warn_at_nano'> & Partial<SetBudget>
const monthly: Body = { scope: 'workspace', subject: '', period: 'month', amount_nano: '5000000000' }
const set = (body: Body, browser = owner, place = params) => browser.call(setBudget, { params: place, body })
const stored = async (id: string) => (await dashboard.pool.query('SELECT * FROM budget WHERE id = $1', [id])).rows[0]

it('sets a budget, sets another in its place, and removes it, each with a row of the audit', async () => {
  const { id } = await set({ ...monthly, warn_at_nano: '4000000000' })
  expect(await set({ ...monthly, amount_nano: '7000000000', fallback_model: 'cheap' })).toEqual({ id })
  expect(await stored(id)).toMatchObject({ amount: '7000000000', fallback_model: 'cheap', warn_at: null })
  await owner.call(removeBudget, { params: { ...params, id } })
  expect(await stored(id)).toBeUndefined()
  await expect(owner.call(removeBudget, { params: { ...params, id } })).rejects.toMatchObject({ status: 404 })
  const { data } = await owner.call(listAudit, { params, query: { subject: id } })
  expect(data.map(({ action, before, after }) => ({ action, before, after }))).toEqual([
    { action: 'budget.removed', before: expect.objectContaining({ amount: '7000000000' }), after: null },
    {
      action: 'budget.set',
      before: { amount: '5000000000', fallbackModel: null, warnAt: '4000000000' },
      after: { amount: '7000000000', fallbackModel: 'cheap', warnAt: null },
    },
    {
      action: 'budget.set',
      before: null,
      after: expect.objectContaining({ scope: 'workspace', amount: '5000000000' }),
    },
  ])
})

it('is about keys of the workspace, and about any user and tag', async () => {
  const { id: subject } = await owner.call(createApiKey, { params, body: { name: 'k' } })
  await set({ ...monthly, scope: 'key', subject })
  await set({ ...monthly, scope: 'key', subject: '*' })
  await set({ ...monthly, scope: 'user', subject: 'ann@example.com' })
  for (const other of [randomUUID(), 'no id']) {
    await expect(set({ ...monthly, scope: 'key', subject: other })).rejects.toMatchObject({ status: 404 })
  }
  const outsider = await dashboard.owner('other')
  const foreign = set({ ...monthly, scope: 'key', subject }, outsider, { slug: 'other' })
  await expect(foreign).rejects.toMatchObject({ status: 404 })
})

it.each<[string, Partial<Body>]>([
  ['a subject of the workspace', { subject: 'x' }],
  ['a user without a name', { scope: 'user', subject: '' }],
  ['nothing', { amount_nano: '0' }],
  ['more than the ledger has', { amount_nano: '9'.repeat(19) }],
])('refuses %s', async (_, wrong) => {
  await expect(set({ ...monthly, ...wrong })).rejects.toMatchObject({ status: 400 })
})

it('is set by owners and admins', async () => {
  const member = await dashboard.member(owner, 'acme', { role: 'member' })
  await expect(set(monthly, member)).rejects.toMatchObject({ status: 403 })
  const admin = await dashboard.member(owner, 'acme', { role: 'admin' })
  await set(monthly, admin)
})

it('has a number of budgets that no two requests exceed', async () => {
  const many = await dashboard.owner('many')
  await dashboard.pool.query(
    `INSERT INTO budget (id, workspace_id, scope, subject, period, amount, created_at, updated_at)
     SELECT gen_random_uuid(), id, 'user', n::text, 'day', 1, now(), now() FROM workspace, generate_series(1, $1) AS n
     WHERE slug = 'many'`,
    [maxBudgets - 1],
  )
  const tags = ['a', 'b', 'c'].map((subject) => set({ ...monthly, scope: 'tag', subject }, many, { slug: 'many' }))
  const outcomes = await Promise.allSettled(tags)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'quota_exceeded' } })
  // One that is there can be changed.
  await set({ ...monthly, scope: 'user', subject: '1', period: 'day' }, many, { slug: 'many' })
})
