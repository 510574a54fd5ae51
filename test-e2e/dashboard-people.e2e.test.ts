import { request } from 'node:http'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import type { DemoMember } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { startTestIssuer, type TestIssuer } from '@ratchet/testing/test-issuer'
import type { Browser, Page } from 'playwright-core'
import { checkBudget } from './browser/budgets.ts'
import { openBrowser, type Visitor, visit } from './browser/open-browser.ts'
import {
  addAuthenticator,
  createKeyOnPage,
  recordTraffic,
  signInOnPage,
  storedInBrowser,
} from './browser/page-steps.ts'
import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { givePassword, password, sendFromPage, signIn } from './signed-in.ts'

/* How people come in, and how they are put out: a real fleet, a real browser, a real provider of identities. */

let fleet: Fleet
let pool: Pool
let browser: Browser
let issuer: TestIssuer
let origin: string
let owner: string
const visitors: Visitor[] = []

beforeAll(async () => {
  issuer = await startTestIssuer()
  const env = {
    OIDC_DISCOVERY_URL: `${issuer.url}/.well-known/openid-configuration`,
    OIDC_CLIENT_ID: 'ratchet',
    OIDC_CLIENT_SECRET: 'secret-of-the-client',
    OIDC_NAME: 'Example',
  }
  ;[fleet, browser] = await Promise.all([
    startFleet({ judges: true, evals: true, aliases: true, dashboard: true, env }),
    openBrowser(),
  ])
  pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 2 })
  origin = fleet.url.replace('127.0.0.1', 'localhost')
  owner = await givePassword(fleet, fleet.workspace.userId)
}, 300_000)
afterEach(async () => {
  const opened = visitors.splice(0)
  for (const { page, complaints, accessibilityProblems, close } of opened) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      expect([page.url(), await accessibilityProblems()]).toEqual([page.url(), []])
    }
    await close()
    expect(complaints.filter((text) => !isRefusal(text))).toEqual([])
  }
})
afterAll(async () => {
  await browser?.close()
  await pool?.end()
  await fleet?.stop()
  await issuer?.stop()
}, 180_000)

/** Browsers log every answer that is an error. */
const isRefusal = (text: string) => /Failed to load resource.*status of 4\d\d/.test(text)

async function open(options: Parameters<typeof visit>[2] = {}): Promise<Visitor> {
  const visitor = await visit(browser, origin, options)
  visitors.push(visitor)
  return visitor
}

const workspacePage = () => new RegExp(`/w/${fleet.workspace.slug}`)

async function signedIn(email: string): Promise<Visitor> {
  const visitor = await open()
  await signInOnPage(visitor.page, { email, password, lands: workspacePage() })
  return visitor
}

/** A new member of the workspace, with the address to sign in with. */
async function newMember(role: 'admin' | 'member'): Promise<DemoMember & { readonly email: string }> {
  const member = await fleet.workspace.addMember(role)
  return { ...member, email: await givePassword(fleet, member.userId) }
}

const models = (key: string) => fetch(`${fleet.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 })

/** Tries to sign in from another machine, as far as the edge can tell, and says how long the answer took. */
function attempt(email: string, localAddress: string) {
  const body = JSON.stringify({ email, password: 'not the right password' })
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', origin }
  const start = performance.now()
  return new Promise<{ readonly ms: number; readonly status: number; readonly error: unknown }>((resolve, reject) => {
    request(`${fleet.url}/api/auth/sign-in/email`, { method: 'POST', headers, localAddress }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      const { error } = JSON.parse(text) as { readonly error: { readonly code: string; readonly message: string } }
      const { code, message } = error
      resolve({ ms: performance.now() - start, status: response.statusCode ?? 0, error: { code, message } })
    })
      .on('error', reject)
      .end(body)
  })
}

it('says the same, after the same time, for an unknown address and a wrong password, and counts down after five', async () => {
  const { email } = await newMember('member')
  const times = { known: [] as number[], unknown: [] as number[] }
  // One after the other, because passwords are compared one at a time.
  for (let index = 0; index < 5; index += 1) {
    // The browser below has this address too.
    const known = await attempt(email, '127.0.0.1')
    const unknown = await attempt(`nobody-${index}@example.com`, `127.0.2.${10 + index}`)
    expect([known.status, known.error]).toEqual([401, unknown.error])
    expect(unknown.status).toBe(401)
    times.known.push(known.ms)
    times.unknown.push(unknown.ms)
  }
  // The fastest of each, because another program may delay any of them. Without a password to compare, the answer would
  // come after a small part of the time.
  const [known, unknown] = [Math.min(...times.known), Math.min(...times.unknown)]
  expect(Math.abs(known - unknown)).toBeLessThan(Math.max(known, unknown) / 2)
  const difference = { name: 'Sign-in, unknown address or wrong password', unit: 'ms' }
  checkBudget({ ...difference, must: 50, measured: Math.abs(known - unknown) }, { busyFactor: 4 })
  const { page } = await open()
  await page.goto('/sign-in')
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await page.locator('input[type=password]').fill(password)
  const answered = page.waitForResponse('**/api/auth/sign-in/email')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  expect((await answered).status()).toBe(429)
  await page.getByRole('alert').getByText(/\d+ s/).waitFor()
  expect(await page.getByRole('button', { name: 'Sign in', exact: true }).isDisabled()).toBe(true)
}, 180_000)

it('signs in with a passkey, which the account lists and removes', async () => {
  const { email } = await newMember('member')
  const { page } = await signedIn(email)
  await addAuthenticator(page)
  await page.goto('/account')
  await page.getByLabel('Name of a new passkey').fill('Laptop')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('button', { name: 'Remove the passkey Laptop' }).waitFor()
  const signedOut = await page.evaluate(`fetch('/api/auth/sign-out', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }).then(({ status }) => status)`)
  expect(signedOut).toBe(200)
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.waitForURL(workspacePage())
  await page.goto('/account')
  await page.getByRole('button', { name: 'Remove the passkey Laptop' }).click()
  await page.getByText('A passkey signs you in without a password').waitFor()
}, 180_000)

it('shows a person of the provider of identities who is a member of nothing the name of no workspace', async () => {
  issuer.signsIn({ sub: 'stranger', email: 'stranger@example.com', email_verified: true, name: 'Stranger' })
  const { page, context } = await open()
  const traffic = recordTraffic(context)
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Continue with Example' }).click()
  await heading(page, 'No workspace yet').waitFor()
  await page.getByText('Ask an owner of a workspace for an invitation.').waitFor()
  await page.goto(`/w/${fleet.workspace.slug}/logs`)
  await heading(page, 'Not here').or(page.getByText('Not here')).first().waitFor()
  expect(await traffic.answersWith(`Workspace ${fleet.workspace.slug}`)).toBe(0)
}, 180_000)

/** The milliseconds until an open stream of changes has ended. */
async function readToEnd(answer: Response): Promise<number> {
  for await (const _chunk of answer.body ?? []);
  return performance.now()
}

it('puts a removed member out: both tabs, the stream of changes, and the API key', async () => {
  const member = await newMember('member')
  const { page: first, context } = await signedIn(member.email)
  const second = await context.newPage()
  await second.goto(`/w/${fleet.workspace.slug}/settings/members`)
  await heading(second, 'Members').waitFor()
  const live = `/api/w/${fleet.workspace.slug}/live`
  const stream = await sendFromPage(fleet, live, { cookie: await signIn(fleet, member.email) })
  expect([stream.status, (await models(member.apiKey)).status]).toEqual([200, 200])
  const ended = readToEnd(stream)

  const { page } = await signedIn(owner)
  await page.goto(`/w/${fleet.workspace.slug}/settings/members`)
  const row = page.getByRole('row').filter({ hasText: member.email })
  await row.getByRole('button', { name: /^Remove / }).click()
  const removed = page.waitForResponse((answer) => answer.request().method() === 'DELETE')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  expect((await removed).status()).toBe(200)
  const at = performance.now()
  expect((await models(member.apiKey)).status).toBe(401)
  expect((await ended) - at).toBeLessThan(2_000)
  for (const tab of [first, second]) {
    await tab.getByText('Not here', { exact: true }).waitFor()
    expect(await tab.getByRole('navigation').count()).toBe(0)
  }
}, 180_000)

it('refuses in words what a form sends after its person lost the right, and keeps what was typed', async () => {
  const admin = await newMember('admin')
  const { page } = await signedIn(admin.email)
  await page.goto(`/w/${fleet.workspace.slug}/settings/general`)
  const field = page.getByLabel('Requests per minute')
  await field.fill('123456')
  const demoted = await sendFromPage(fleet, `/api/w/${fleet.workspace.slug}/members/${admin.userId}`, {
    method: 'PATCH',
    body: { role: 'member' },
    cookie: await signIn(fleet, owner),
  })
  expect(demoted.status).toBe(200)
  const answered = page.waitForResponse((answer) => answer.request().method() === 'PATCH')
  await page.getByRole('button', { name: 'Save' }).click()
  expect((await answered).status()).toBe(403)
  await page
    .getByRole('alert')
    .getByText(/owners and admins/)
    .waitFor()
  expect(await field.inputValue()).toMatch(/^123,?456$/)
}, 180_000)

it('sends the value of a new key in one answer, and has it nowhere else', async () => {
  const { page, context } = await signedIn(owner)
  const traffic = recordTraffic(context)
  const { key } = await createKeyOnPage(page, fleet.workspace.slug, 'seen once')
  await page.getByRole('button', { name: 'I stored it' }).click()
  await page.getByText('seen once').first().waitFor()
  await page.reload()
  await page.getByText('seen once').first().waitFor()
  await page.goBack()
  await page.goForward()
  await page.getByText('seen once').first().waitFor()
  expect(await traffic.answersWith(key)).toBe(1)
  expect(traffic.requestsWith(key)).toBe(0)
  expect(await storedInBrowser(page)).not.toContain(key)
  expect(fleet.processes.filter(({ log }) => log.join('\n').includes(key)).map(({ name }) => name)).toEqual([])
  const { rows } = await pool.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
  )
  for (const { name } of rows) {
    const { rowCount } = await pool.query(`SELECT FROM "${name}" t WHERE strpos(t::text, $1) > 0 LIMIT 1`, [key])
    expect([name, rowCount]).toEqual([name, 0])
  }
}, 180_000)

it('refuses every call that begins after the answer to a revocation, and lets those before end', async () => {
  const { page } = await signedIn(owner)
  const { key } = await createKeyOnPage(page, fleet.workspace.slug, 'short life')
  await page.getByRole('button', { name: 'I stored it' }).click()
  const running = await postChat(fleet, { model: 'sim/pace-100', apiKey: key, stream: true })
  expect(running.status).toBe(200)
  const calls: { readonly at: number; readonly status: number }[] = []
  const isOver = new AbortController()
  const stream = (async () => {
    while (!isOver.signal.aborted) {
      const at = performance.now()
      const answer = await models(key)
      await answer.body?.cancel()
      calls.push({ at, status: answer.status })
    }
  })()
  await page.getByRole('button', { name: 'Revoke short life' }).click()
  const revoked = page.waitForResponse((answer) => answer.request().method() === 'POST')
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  expect((await revoked).status()).toBe(200)
  const at = performance.now()
  await eventually(() => calls.filter((call) => call.at > at).length > 50)
  isOver.abort()
  await stream
  expect(new Set(calls.filter((call) => call.at > at).map(({ status }) => status))).toEqual(new Set([401]))
  expect(calls.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
  expect(await running.text()).toContain('[DONE]')
}, 180_000)
