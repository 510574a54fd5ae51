import { endMySession, listMySessions, readMe, setUp } from '@ratchet/contracts/dashboard/account'
import { listAudit } from '@ratchet/contracts/dashboard/audit'
import {
  changePassword,
  readPasskeySignInOptions,
  resetPassword,
  signInWithPassword,
  signOut,
} from '@ratchet/contracts/dashboard/sign-in'
import type { ErrorEnvelope } from '@ratchet/contracts/errors'
import { connectPrisma } from '@ratchet/db/connect'
import { createResetLink, setPassword } from '@ratchet/db/one-time-links'
import { hashOfPassword } from '@ratchet/service-kit/identity/password-hash'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { password, startTestDashboard, type TestDashboard } from '../dashboard.fixture.ts'

let dashboard: TestDashboard
beforeAll(async () => {
  dashboard = await startTestDashboard()
})
afterAll(() => dashboard.stop())

const signIn = (email: string, given = password, client = '10.0.0.1') => {
  const browser = dashboard.browser()
  const sent = browser.send(signInWithPassword.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': client },
    body: JSON.stringify({ email, password: given }),
  })
  return sent.then((answer) => ({ browser, answer }))
}

it('shows nothing before anybody signed in', async () => {
  await dashboard.owner('hidden')
  const me = await dashboard.browser().call(readMe)
  expect(me).toMatchObject({ user: null, session: null, workspaces: [], sign_in: { password: true, oidc: [] } })
})

it('sets up with a link once, signs in, and makes the first owner an operator', async () => {
  const token = await dashboard.setUpToken()
  const body = {
    token,
    email: 'First@Once.example',
    name: 'First',
    password,
    workspace: { slug: 'once', name: 'Once' },
  }
  const browser = dashboard.browser()
  await browser.call(setUp, { body })
  expect(await browser.call(readMe)).toMatchObject({
    user: { email: 'first@once.example', operator: true },
    workspaces: [{ slug: 'once', role: 'owner', may_grade: true }],
  })
  const again = { ...body, email: 'second@once.example', workspace: { slug: 'twice', name: 'Twice' } }
  await expect(dashboard.browser().call(setUp, { body: again })).rejects.toMatchObject({
    status: 404,
    code: 'not_found',
  })
})

it('leaves a link valid when the address of the workspace is taken', async () => {
  await dashboard.owner('taken')
  const token = await dashboard.setUpToken()
  const body = { token, email: 'a@free.example', name: 'A', password, workspace: { slug: 'taken', name: 'Taken' } }
  await expect(dashboard.browser().call(setUp, { body })).rejects.toMatchObject({ status: 409 })
  const free = { ...body, workspace: { slug: 'free', name: 'Free' } }
  await expect(dashboard.browser().call(setUp, { body: free })).resolves.toMatchObject({ object: 'setup' })
})

it('has one cookie for the session, which pages cannot read and other sites do not send', async () => {
  await dashboard.owner('cookie')
  const { answer } = await signIn('owner@cookie.example')
  const cookies = answer.headers.getSetCookie().filter((each) => each.startsWith('ratchet_session='))
  expect(cookies).toHaveLength(1)
  expect(cookies[0]).toMatch(/; Path=\/(;|$)/)
  expect(cookies[0]).toMatch(/HttpOnly/)
  expect(cookies[0]).toMatch(/SameSite=Lax/)
  expect(await answer.json()).toEqual({ object: 'signed_in', redirect_to: null })
})

it('answers an unknown address and a wrong password alike, and the sixth attempt with 429', async () => {
  await dashboard.owner('limit')
  const answers = []
  for (const email of ['owner@limit.example', 'nobody@limit.example']) {
    for (let sent = 1; sent <= 6; sent++) {
      const { answer } = await signIn(email, 'wrong password', '10.1.0.1')
      const { error } = (await answer.json()) as ErrorEnvelope
      answers.push([answer.status, error.code, error.message, answer.headers.get('retry-after') !== null])
    }
  }
  expect(answers.slice(0, 6)).toEqual(answers.slice(6))
  expect(answers.slice(0, 5).every(([status, code]) => status === 401 && code === 'sign_in_failed')).toBe(true)
  expect(answers[5]).toEqual([429, 'rate_limit_exceeded', expect.any(String), true])
  const right = await signIn('owner@limit.example', password, '10.1.0.1')
  expect(right.answer.status).toBe(429)
})

it('does not let a person lock out those who share its client, or a stranger lock out a person', async () => {
  await dashboard.owner('shared')
  for (let sent = 1; sent <= 60; sent++) await signIn('clumsy@shared.example', 'wrong password', '10.4.0.1')
  expect((await signIn('owner@shared.example', password, '10.4.0.1')).answer.status).toBe(200)
  for (let sent = 1; sent <= 60; sent++) await signIn('owner@shared.example', 'wrong password', '10.4.0.2')
  expect((await signIn('owner@shared.example', password, '10.4.0.2')).answer.status).toBe(429)
  expect((await signIn('owner@shared.example', password, '10.4.0.1')).answer.status).toBe(200)
})

const many = Array.from({ length: 51 }, (_, index) => index + 1)

it('limits a client that tries many addresses, and no other client by that', async () => {
  const statuses = []
  for (const each of many) {
    statuses.push((await signIn(`person${each}@many.example`, 'wrong password', '10.2.0.1')).answer.status)
  }
  expect(statuses).toEqual([...Array(50).fill(401), 429])
  expect((await signIn('person@many.example', 'wrong password', '10.2.0.2')).answer.status).toBe(401)
})

it('limits many clients that try one address, and no other address by that', async () => {
  const statuses = []
  for (const each of many) {
    statuses.push((await signIn('target@many.example', 'wrong password', `10.6.0.${each}`)).answer.status)
  }
  expect(statuses).toEqual([...Array(50).fill(401), 429])
  expect((await signIn('other@many.example', 'wrong password', '10.6.0.1')).answer.status).toBe(401)
})

it('hashes few passwords at a time, refuses what cannot wait, and counts only attempts that were made', async () => {
  await dashboard.owner('crowd')
  const attackers = Array.from({ length: 400 }, (_, index) =>
    signIn(`person${index}@crowd.example`, 'wrong password', `10.${20 + (index >> 8)}.${index & 255}.1`),
  )
  const answers = await Promise.all(attackers)
  const refused = answers.filter(({ answer }) => answer.status === 503)
  expect(new Set(answers.map(({ answer }) => answer.status))).toEqual(new Set([401, 503]))
  expect(refused.length).toBeGreaterThanOrEqual(100)
  for (const { answer } of refused) expect(answer.headers.get('retry-after')).toBe('1')
  // What was refused did not count: the same client may still try five times.
  const [client] = refused.map(({ answer }) => answers.findIndex((each) => each.answer === answer))
  const index = client ?? 0
  const again = () =>
    signIn(`person${index}@crowd.example`, 'wrong password', `10.${20 + (index >> 8)}.${index & 255}.1`)
  for (let attempt = 1; attempt <= 5; attempt += 1) expect((await again()).answer.status).toBe(401)
  expect((await again()).answer.status).toBe(429)
  expect((await signIn('owner@crowd.example', password, '10.30.0.1')).answer.status).toBe(200)
}, 60_000)

it('gives a client no more places to wait than it needs, so that it keeps nobody else out', async () => {
  await dashboard.owner('one')
  const flood = Array.from({ length: 45 }, (_, index) => signIn(`p${index}@one.example`, 'wrong password', '10.31.0.1'))
  const other = await signIn('owner@one.example', password, '10.31.0.2')
  expect(other.answer.status).toBe(200)
  const statuses = (await Promise.all(flood)).map(({ answer }) => answer.status)
  expect(statuses.filter((status) => status === 503).length).toBeGreaterThanOrEqual(20)
}, 60_000)

it('does not count attempts that succeed', async () => {
  await dashboard.owner('often')
  for (let attempt = 1; attempt <= 7; attempt++) {
    expect((await signIn('owner@often.example', password, '10.3.0.1')).answer.status).toBe(200)
  }
})

it.each([
  ['a cookie with another signature', (cookie: string) => `${cookie.slice(0, -6)}AAAA%3D`],
  ['a token without a signature', (cookie: string) => cookie.replace(/\..*$/, '')],
  ['half a percent sign', () => 'ratchet_session=%E0%A4%A'],
])('does not accept %s', async (_name, change) => {
  const owner = await dashboard.owner(`forged-${uuidV7(Date.now()).slice(-8)}`)
  const answer = await fetch(`${dashboard.url}/api/me`, { headers: { cookie: change(owner.cookie) } })
  expect(await answer.json()).toMatchObject({ user: null })
})

it('ends a session at once: by signing out, from another browser, and when it expires', async () => {
  const first = await dashboard.owner('ending')
  const { browser: second } = await signIn('owner@ending.example')
  const { cookie } = second
  const { data } = await first.call(listMySessions)
  const other = data.find(({ current }) => !current)
  await first.call(endMySession, { params: { id: other?.id ?? '' } })
  const withCookie = () => fetch(`${dashboard.url}/api/me`, { headers: { cookie } }).then((answer) => answer.json())
  expect(await withCookie()).toMatchObject({ user: null })
  const old = first.cookie
  await first.call(signOut, { body: {} })
  const signedOut = await fetch(`${dashboard.url}/api/me`, { headers: { cookie: old } })
  expect(await signedOut.json()).toMatchObject({ user: null })
  const { browser: third } = await signIn('owner@ending.example')
  await dashboard.pool.query("UPDATE auth_session SET expires_at = now() - interval '1 second'")
  expect(await third.call(readMe)).toMatchObject({ user: null })
})

it('prolongs a session that is used', async () => {
  const owner = await dashboard.owner('sliding')
  await dashboard.pool.query(
    "UPDATE auth_session SET updated_at = now() - interval '2 days', expires_at = now() + interval '12 days'",
  )
  const answer = await owner.send('/api/me')
  expect(answer.headers.getSetCookie().some((each) => each.startsWith('ratchet_session='))).toBe(true)
  const me = await owner.call(readMe)
  expect(Date.parse(me.session?.expires_at ?? '')).toBeGreaterThan(Date.now() + 13.9 * 86_400_000)
})

it('changes a password only with the one before, and ends the other sessions', async () => {
  const owner = await dashboard.owner('change')
  const { browser: other } = await signIn('owner@change.example')
  const body = { current_password: 'wrong password', new_password: 'another long password' }
  await expect(owner.call(changePassword, { body })).rejects.toMatchObject({ status: 401 })
  await owner.call(changePassword, { body: { ...body, current_password: password } })
  expect(await other.call(readMe)).toMatchObject({ user: null })
  expect(await owner.call(readMe)).toMatchObject({ user: { email: 'owner@change.example' } })
  const audit = await owner.call(listAudit, { params: { slug: 'change' } })
  expect(audit.data[0]).toMatchObject({ action: 'user.password_changed', before: null, after: null })
  expect((await signIn('owner@change.example')).answer.status).toBe(401)
  expect((await signIn('owner@change.example', 'another long password')).answer.status).toBe(200)
})

it('is bound to this host and to https where browsers use https', async () => {
  const secure = await startTestDashboard({ origin: 'https://ratchet.example' })
  const owner = await secure.owner('acme')
  const answer = await owner.send(signInWithPassword.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'owner@acme.example', password }),
  })
  const [cookie] = answer.headers.getSetCookie()
  expect(cookie).toMatch(/^__Host-ratchet_session=[^;]+; .*Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000')
  expect(await owner.call(readMe)).toMatchObject({ workspaces: [{ slug: 'acme' }] })
  await secure.stop()
})

it('limits what anybody may begin without an account', async () => {
  const statuses = new Set<number>()
  for (let begun = 1; begun <= 61; begun++) {
    const headers = { 'x-forwarded-for': '10.9.0.1' }
    statuses.add((await dashboard.browser().send(readPasskeySignInOptions.path, { headers })).status)
  }
  expect(statuses).toEqual(new Set([200, 429]))
})

it('counts attempts in the process while Redis is unavailable', async () => {
  const alone = await startTestDashboard({ env: { REDIS_URL: 'redis://127.0.0.1:1' } })
  const statuses = []
  for (let attempt = 1; attempt <= 6; attempt++) {
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const body = JSON.stringify({ email: 'nobody@acme.example', password: 'wrong password' })
    statuses.push((await alone.browser().send(signInWithPassword.path, { ...sent, body })).status)
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  await alone.stop()
})

it('counts all addresses of one IPv6 network as one client', async () => {
  const statuses: number[] = []
  for (let host = 1; host <= 6; host++) {
    const { answer } = await signIn('nobody@ipv6.example', 'wrong password', `2001:db8:0:7::${host}`)
    statuses.push(answer.status)
  }
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
  expect((await signIn('nobody@ipv6.example', 'wrong password', '2001:db8:0:8::1')).answer.status).toBe(401)
})

it('has at most 50 sessions for a user, and ends the oldest', async () => {
  const first = await dashboard.owner('many')
  const userId = (await first.call(readMe)).user?.id
  const add = `INSERT INTO auth_session (id, user_id, token, expires_at, created_at, updated_at)
    SELECT gen_random_uuid(), $1, gen_random_uuid()::text, now() + interval '1 day', now() + n * interval '1 ms', now()
    FROM generate_series(1, 60) n`
  await dashboard.pool.query(add, [userId])
  const { browser } = await signIn('owner@many.example')
  const { rowCount } = await dashboard.pool.query('SELECT 1 FROM auth_session WHERE user_id = $1', [userId])
  expect(rowCount).toBe(50)
  expect((await browser.call(readMe)).user?.id).toBe(userId)
  expect((await first.call(readMe)).user).toBeNull()
})

describe('an operator’s commands', () => {
  const withOperator = async <T>(work: (db: ReturnType<typeof connectPrisma>) => Promise<T>) => {
    const db = connectPrisma({ databaseUrl: dashboard.pool.options.connectionString ?? '', max: 1 })
    return work(db).finally(() => db.$disconnect())
  }
  const userIdOf = async (email: string) =>
    (await dashboard.pool.query('SELECT id FROM app_user WHERE email = $1', [email])).rows[0].id as string

  it('make a link that resets a password once, and ends all sessions', async () => {
    const owner = await dashboard.owner('reset')
    const userId = await userIdOf('owner@reset.example')
    const at = new Date()
    const link = { id: uuidV7(at.getTime()), token: 'x'.repeat(43), at, origin: dashboard.origin, userId }
    await withOperator((db) => createResetLink(db, link))
    // Added by who had the account before.
    await dashboard.pool.query(
      `INSERT INTO auth_passkey (id, user_id, name, public_key, credential_id, counter, device_type, backed_up)
       VALUES (gen_random_uuid(), $1, 'A key', 'x', 'y', 0, 'singleDevice', false)`,
      [userId],
    )
    const body = { token: link.token, new_password: 'a new long password' }
    await dashboard.browser().call(resetPassword, { body })
    expect(await owner.call(readMe)).toMatchObject({ user: null })
    const passkeys = await dashboard.pool.query('SELECT 1 FROM auth_passkey WHERE user_id = $1', [userId])
    expect(passkeys.rowCount).toBe(0)
    expect((await signIn('owner@reset.example', body.new_password)).answer.status).toBe(200)
    await expect(dashboard.browser().call(resetPassword, { body })).rejects.toMatchObject({ status: 404 })
  })

  it('give a user a password', async () => {
    await dashboard.owner('given')
    const userId = await userIdOf('owner@given.example')
    const hash = await hashOfPassword('generated password')
    await withOperator((db) => setPassword(db, { id: uuidV7(Date.now()), userId, hash, at: new Date() }))
    expect((await signIn('owner@given.example', 'generated password')).answer.status).toBe(200)
  })
})

it.each([
  ['POST', '/api/auth/sign-up/email'],
  ['POST', '/api/auth/update-user'],
  ['POST', '/api/auth/delete-user'],
  ['POST', '/api/auth/change-email'],
  ['POST', '/api/auth/link-social'],
  ['POST', '/api/auth/get-access-token'],
  ['GET', '/api/auth/get-session'],
  ['GET', '/api/auth/list-sessions'],
  ['POST', '/api/auth/sign-in/email/'],
])('offers nothing of the library that is not in the contract: %s %s', async (method, path) => {
  const body = method === 'POST' ? { headers: { 'content-type': 'application/json' }, body: '{}' } : {}
  const owner = await dashboard.owner(`closed-${uuidV7(Date.now()).slice(-8)}`)
  const answer = await owner.send(path, { method, ...body })
  expect(answer.status).toBe(404)
  expect(await answer.json()).toMatchObject({ error: { code: 'unknown_url' } })
})
