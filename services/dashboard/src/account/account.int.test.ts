import { isDeepStrictEqual } from 'node:util'
import { changeMe, createWorkspace, readMe } from '@ratchet/contracts/dashboard/account'
import { listAudit } from '@ratchet/contracts/dashboard/audit'
import { listMembers } from '@ratchet/contracts/dashboard/members'
import { startTestDashboard, type TestBrowser, type TestDashboard } from '../dashboard.fixture.ts'

let dashboard: TestDashboard
let owner: TestBrowser
const params = { slug: 'acme' }

beforeAll(async () => {
  dashboard = await startTestDashboard()
  owner = await dashboard.owner('acme')
})
afterAll(() => dashboard.stop())

const nameOf = async (browser: TestBrowser) => (await browser.call(readMe)).user?.name
const changesIn = async (slug: string) =>
  (await owner.call(listAudit, { params: { slug }, query: { action: 'user.changed' } })).data

it('changes the own name for every member to see, and writes both names to the audit once', async () => {
  const member = await dashboard.member(owner, 'acme', { role: 'member' })
  const id = (await member.call(readMe)).user?.id
  await member.call(changeMe, { body: { name: '  Anna Lee ' } })
  await member.call(changeMe, { body: { name: 'Anna Lee' } })
  expect(await nameOf(member)).toBe('Anna Lee')
  const { data } = await owner.call(listMembers, { params })
  expect(data.find(({ user_id: each }) => each === id)).toMatchObject({ name: 'Anna Lee' })
  expect(await changesIn('acme')).toMatchObject([
    { subject: id, actor: { id }, before: { name: 'Ann' }, after: { name: 'Anna Lee' } },
  ])
})

it('writes a new name to the audit of each workspace of the person', async () => {
  await owner.call(createWorkspace, { body: { slug: 'second', name: 'Second' } })
  await owner.call(changeMe, { body: { name: 'Grace' } })
  for (const slug of ['acme', 'second']) expect((await changesIn(slug))[0]).toMatchObject({ after: { name: 'Grace' } })
})

it('writes two changes at once with the name before each', async () => {
  const before = (await changesIn('second')).length
  await Promise.all(['Kim', 'Lou'].map((name) => owner.call(changeMe, { body: { name } })))
  const changes = await changesIn('second')
  expect(changes.length).toBe(before + 2)
  const name = await nameOf(owner)
  // Both began at the same time, so the list does not say which was written last.
  const last = changes.slice(0, 2).find(({ after }) => isDeepStrictEqual(after, { name }))
  const first = changes.slice(0, 2).find((change) => change !== last)
  expect(last?.before).toEqual(first?.after)
})

it.each([
  ['an empty name', { name: '  ' }],
  ['a name that is too long', { name: 'x'.repeat(101) }],
  ['a character that no database stores', { name: 'A\u0000' }],
  ['a right that only operators give', { name: 'Eve', operator: true }],
  ['an address that was not confirmed', { name: 'Eve', email: 'other@acme.example' }],
  ['another person', { name: 'Eve', id: '00000000-0000-4000-8000-000000000000' }],
])('refuses %s', async (_, body) => {
  const name = await nameOf(owner)
  await expect(owner.call(changeMe, { body })).rejects.toMatchObject({ status: 400 })
  expect(await nameOf(owner)).toBe(name)
})

it('changes nothing without a session', async () => {
  const sent = dashboard.browser().call(changeMe, { body: { name: 'Eve' } })
  await expect(sent).rejects.toMatchObject({ status: 401 })
})
