import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { readMe } from '@ratchet/contracts/dashboard/account'
import { listAudit } from '@ratchet/contracts/dashboard/audit'
import { createApiKey } from '@ratchet/contracts/dashboard/keys'
import {
  acceptInvitation,
  changeMember,
  createInvitation,
  leaveWorkspace,
  listInvitations,
  listMembers,
  readInvitation,
  removeMember,
  withdrawInvitation,
} from '@ratchet/contracts/dashboard/members'
import { eventually } from '@ratchet/testing/eventually'
import { password, startTestDashboard, type TestBrowser, type TestDashboard } from '../dashboard.fixture.ts'

let dashboard: TestDashboard
let owner: TestBrowser
const params = { slug: 'acme' }

beforeAll(async () => {
  dashboard = await startTestDashboard()
  owner = await dashboard.owner('acme')
})
afterAll(() => dashboard.stop())

const idOf = async (browser: TestBrowser) => (await browser.call(readMe)).user?.id ?? ''
const roleOfKey = async (id: string) =>
  (await dashboard.pool.query('SELECT role FROM api_key_identity WHERE key_id = $1', [id])).rows[0]?.role ?? null

it('changes a role, with the keys of the member, and writes who did it', async () => {
  const member = await dashboard.member(owner, 'acme', { role: 'member' })
  const user_id = await idOf(member)
  const key = await member.call(createApiKey, { params, body: { name: 'k' } })
  expect(await roleOfKey(key.id)).toBe('member')
  const changed = await owner.call(changeMember, { params: { ...params, user_id }, body: { role: 'admin' } })
  expect(changed).toMatchObject({ role: 'admin', may_grade: false, active_keys: 1 })
  expect(await roleOfKey(key.id)).toBe('admin')
  const { data } = await owner.call(listAudit, { params })
  expect(data[0]).toMatchObject({
    action: 'member.changed',
    actor: { id: await idOf(owner) },
    subject: user_id,
    before: { role: 'member' },
    after: { role: 'admin' },
  })
})

it('gives the right to grade apart from the role', async () => {
  const member = await dashboard.member(owner, 'acme', { role: 'member' })
  const user_id = await idOf(member)
  await owner.call(changeMember, { params: { ...params, user_id }, body: { may_grade: true } })
  expect(await member.call(readMe)).toMatchObject({ workspaces: [{ role: 'member', may_grade: true }] })
})

it('removes a member, whose keys stop with the answer', async () => {
  const member = await dashboard.member(owner, 'acme', { role: 'admin' })
  const user_id = await idOf(member)
  const key = await member.call(createApiKey, { params, body: { name: 'k' } })
  await owner.call(removeMember, { params: { ...params, user_id } })
  expect(await roleOfKey(key.id)).toBeNull()
  const gone = owner.call(removeMember, { params: { ...params, user_id } })
  await expect(gone).rejects.toMatchObject({ status: 404 })
})

it('waits until the edges apply a removal', async () => {
  const member = await dashboard.member(owner, 'acme', { role: 'member' })
  const lease = `INSERT INTO edge_lease (id, timeline, acked_version, renewals, renewed_at)
    VALUES (gen_random_uuid(), current_timeline(), 0, 0, now()) RETURNING id`
  const { rows } = await dashboard.pool.query(lease)
  const startedAt = performance.now()
  const removed = owner.call(removeMember, { params: { ...params, user_id: await idOf(member) } })
  await removed
  const { rowCount } = await dashboard.pool.query('SELECT 1 FROM edge_lease WHERE id = $1', [rows[0].id])
  expect(rowCount).toBe(0)
  expect(performance.now() - startedAt).toBeGreaterThan(2_000)
})

describe('the last owner', () => {
  it('can neither leave, nor be removed, nor lose the role', async () => {
    const alone = await dashboard.owner('alone')
    const own = { slug: 'alone', user_id: await idOf(alone) }
    const conflict = { status: 409, code: 'conflict' }
    await expect(alone.call(leaveWorkspace, { params: { slug: 'alone' } })).rejects.toMatchObject(conflict)
    await expect(alone.call(removeMember, { params: own })).rejects.toMatchObject(conflict)
    await expect(alone.call(changeMember, { params: own, body: { role: 'admin' } })).rejects.toMatchObject(conflict)
    const { data } = await alone.call(listAudit, { params: { slug: 'alone' } })
    expect(data.map(({ action }) => action)).toEqual(['setup.completed'])
  })

  it('remains when two owners remove each other at the same moment', async () => {
    const first = await dashboard.owner('pair')
    const second = await dashboard.member(first, 'pair', { role: 'owner' })
    const [a, b] = [await idOf(first), await idOf(second)]
    const client = await dashboard.pool.connect()
    await client.query("BEGIN; SELECT 1 FROM workspace WHERE slug = 'pair' FOR UPDATE")
    const removals = Promise.allSettled([
      first.call(removeMember, { params: { slug: 'pair', user_id: b } }),
      second.call(removeMember, { params: { slug: 'pair', user_id: a } }),
    ])
    const waiting =
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    await eventually(async () => (await dashboard.pool.query(waiting)).rows[0].n === 2)
    await client.query('COMMIT')
    client.release()
    expect((await removals).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const statement =
      "SELECT count(*)::int AS owners FROM membership m JOIN workspace w ON w.id = m.workspace_id WHERE slug = 'pair'"
    expect((await dashboard.pool.query(statement)).rows[0].owners).toBe(1)
  })
})

describe('an invitation', () => {
  const tokenOf = (link: string | null) => link?.split('/').at(-1) ?? ''

  it('makes an account and a member, once, and shows its link only when it is created', async () => {
    const body = { email: 'New@Person.example', role: 'admin' as const }
    const { link, email } = await owner.call(createInvitation, { params, body })
    expect(link).toMatch(/^http:\/\/localhost:3000\/invite\/[\w-]{43}$/)
    expect(email).toBe('new@person.example')
    const { data } = await owner.call(listInvitations, { params })
    expect(JSON.stringify(data)).not.toContain(tokenOf(link))
    const token = tokenOf(link)
    const guest = dashboard.browser()
    expect(await guest.call(readInvitation, { body: { token } })).toMatchObject({ workspace: 'acme', email })
    await guest.call(acceptInvitation, { body: { token, name: 'New', password } })
    expect(await guest.call(readMe)).toMatchObject({
      user: { email, operator: false },
      workspaces: [{ role: 'admin' }],
    })
    const again = dashboard.browser().call(acceptInvitation, { body: { token, name: 'Thief', password } })
    await expect(again).rejects.toMatchObject({ status: 404 })
  })

  it('is accepted by an existing account only when that account is signed in', async () => {
    const guest = await dashboard.owner('guests')
    const body = { email: 'owner@guests.example', role: 'member' as const }
    const token = tokenOf((await owner.call(createInvitation, { params, body })).link)
    const stolen = dashboard
      .browser()
      .call(acceptInvitation, { body: { token, name: 'Thief', password: 'a new password' } })
    await expect(stolen).rejects.toMatchObject({ status: 401, code: 'not_signed_in' })
    const wrongUser = owner.call(acceptInvitation, { body: { token, name: 'Thief', password: 'a new password' } })
    await expect(wrongUser).rejects.toMatchObject({ status: 401 })
    await guest.call(acceptInvitation, { body: { token } })
    expect((await guest.call(readMe)).workspaces.map(({ slug }) => slug)).toEqual(['acme', 'guests'])
  })

  it('does not show to a reader of its link whether the address has an account', async () => {
    await dashboard.owner('known')
    const answersFor = async (email: string) => {
      const { link } = await owner.call(createInvitation, { params, body: { email, role: 'member' as const } })
      const body = { token: tokenOf(link) }
      const { expires_at, email: _, ...read } = await dashboard.browser().call(readInvitation, { body })
      const incomplete = await Promise.allSettled([
        dashboard.browser().call(acceptInvitation, { body }),
        dashboard.browser().call(acceptInvitation, { body: { ...body, name: 'A' } }),
      ])
      return { read, incomplete: incomplete.map((each) => each.status === 'rejected' && each.reason.param) }
    }
    expect(await answersFor('owner@known.example')).toEqual(await answersFor('never@known.example'))
  })

  it('is not valid after seven days, after it was withdrawn, or after a newer one', async () => {
    const invite = async (email: string) =>
      owner.call(createInvitation, { params, body: { email, role: 'member' as const } })
    const refused = async (link: string | null) => {
      const read = dashboard.browser().call(readInvitation, { body: { token: tokenOf(link) } })
      await expect(read).rejects.toMatchObject({ status: 404, code: 'not_found' })
    }
    const old = await invite('old@a.example')
    expect(Date.parse(old.expires_at) - Date.parse(old.created_at)).toBe(7 * 86_400_000)
    await dashboard.pool.query("UPDATE invitation SET expires_at = now() - interval '1 second' WHERE id = $1", [old.id])
    await refused(old.link)
    const withdrawn = await invite('withdrawn@a.example')
    await owner.call(withdrawInvitation, { params: { ...params, id: withdrawn.id } })
    await refused(withdrawn.link)
    const replaced = await invite('replaced@a.example')
    await invite('replaced@a.example')
    await refused(replaced.link)
  })

  it('is refused when one address was invited too often, by one workspace or by several', async () => {
    const invite = (by: TestBrowser, slug: string) =>
      by.call(createInvitation, { params: { slug }, body: { email: 'often@a.example', role: 'member' } })
    const [second, third] = [await dashboard.owner('often-1'), await dashboard.owner('often-2')]
    const limited = { status: 429, code: 'rate_limit_exceeded' }
    for (let count = 0; count < 5; count += 1) await invite(owner, 'acme')
    await expect(invite(owner, 'acme')).rejects.toMatchObject(limited)
    for (let count = 0; count < 5; count += 1) await invite(second, 'often-1')
    await expect(invite(third, 'often-2')).rejects.toMatchObject(limited)
  })

  it('is not for somebody who is a member', async () => {
    const invited = owner.call(createInvitation, { params, body: { email: 'owner@acme.example', role: 'member' } })
    await expect(invited).rejects.toMatchObject({ status: 409 })
  })

  it('cannot be withdrawn by an owner of another workspace', async () => {
    const { id } = await owner.call(createInvitation, { params, body: { email: 'x@a.example', role: 'member' } })
    const other = await dashboard.owner('elsewhere')
    const withdrawn = other.call(withdrawInvitation, { params: { slug: 'elsewhere', id } })
    await expect(withdrawn).rejects.toMatchObject({ status: 404 })
  })
})

it('lists members with what depends on them', async () => {
  const { data } = await owner.call(listMembers, { params })
  expect(data[0]).toMatchObject({ email: 'owner@acme.example', role: 'owner', last_seen_at: expect.any(String) })
})

describe('who is no owner any more', () => {
  const someone = () => ({ email: `${randomUUID()}@evil.example`, role: 'owner' as const })
  const tokenOf = ({ link }: { readonly link: string | null }) => link?.split('/').at(-1) ?? ''
  const lose = {
    'was removed': (user_id: string) => owner.call(removeMember, { params: { ...params, user_id } }),
    'has another role': (user_id: string) =>
      owner.call(changeMember, { params: { ...params, user_id }, body: { role: 'admin' } }),
  }

  it.each([
    ['was removed', 404],
    ['has another role', 403],
  ] as const)('cannot finish an invitation that was begun before, and %s', async (how, status) => {
    const second = await dashboard.member(owner, 'acme', { role: 'owner' })
    const body = JSON.stringify(someone())
    const sent = httpRequest(`${dashboard.url}/api/w/acme/invitations`, {
      method: 'POST',
      headers: {
        origin: dashboard.origin,
        cookie: second.cookie,
        'content-type': 'application/json',
        'content-length': body.length,
      },
    })
    sent.write(body.slice(0, 1))
    const answered = once(sent, 'response')
    await lose[how](await idOf(second))
    sent.end(body.slice(1))
    const [answer] = await answered
    answer.resume()
    expect(answer.statusCode).toBe(status)
  })

  it.each(['was removed', 'has another role'] as const)('has no invitations left, and %s', async (how) => {
    const second = await dashboard.member(owner, 'acme', { role: 'owner' })
    const { email, role } = someone()
    const invited = await second.call(createInvitation, { params, body: { email, role } })
    const kept = await owner.call(createInvitation, { params, body: someone() })
    await lose[how](await idOf(second))
    const { data } = await owner.call(listAudit, { params })
    expect(data[0]?.before).toMatchObject({ invitations: [email] })
    await expect(
      dashboard.browser().call(acceptInvitation, { body: { token: tokenOf(invited), name: 'Back', password } }),
    ).rejects.toMatchObject({ status: 404 })
    expect(await dashboard.browser().call(readInvitation, { body: { token: tokenOf(kept) } })).toBeDefined()
  })

  it('neither invites nor changes a member, when the removal is committed first', async () => {
    const second = await dashboard.member(owner, 'acme', { role: 'owner' })
    const other = await idOf(await dashboard.member(owner, 'acme', { role: 'member' }))
    const userId = await idOf(second)
    const client = await dashboard.pool.connect()
    await client.query("BEGIN; SELECT id FROM workspace WHERE slug = 'acme' FOR UPDATE")
    const late = Promise.allSettled([
      second.call(createInvitation, { params, body: someone() }),
      second.call(changeMember, { params: { ...params, user_id: other }, body: { role: 'owner' } }),
      second.call(removeMember, { params: { ...params, user_id: other } }),
    ])
    await eventually(async () => {
      const { rows } = await dashboard.pool.query(
        "SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      )
      expect(rows[0].waiting).toBe(3)
    })
    await client.query('DELETE FROM membership WHERE user_id = $1', [userId])
    await client.query('COMMIT')
    client.release()
    for (const outcome of await late) expect(outcome).toMatchObject({ reason: { status: 403 } })
  })
})

it('has no more invitations than a page shows; those that have expired do not count', async () => {
  const host = await dashboard.owner('hosts')
  const slug = { slug: 'hosts' }
  const add = (count: number, expires: string) =>
    dashboard.pool.query(
      `INSERT INTO invitation (id, workspace_id, email, role, may_grade, token_hash, invited_by, created_at, expires_at)
       SELECT gen_random_uuid(), m.workspace_id, 'x' || gen_random_uuid() || '@example.com', 'member', false,
         sha256(gen_random_uuid()::text::bytea), m.user_id, now(), now() + $2::interval
       FROM membership m JOIN workspace w ON w.id = m.workspace_id, generate_series(1, $1) WHERE w.slug = 'hosts'`,
      [count, expires],
    )
  await add(499, '1 day')
  await add(20, '-1 day')
  const invite = (email: string) => host.call(createInvitation, { params: slug, body: { email, role: 'member' } })
  await invite('last@hosts.example')
  await expect(invite('more@hosts.example')).rejects.toMatchObject({
    status: 403,
    code: 'quota_exceeded',
  })
})
