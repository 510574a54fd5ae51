import type { Browser } from 'playwright-core'
import { openBrowser, visit } from './browser/open-browser.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { givePassword, password, sendFromPage, signIn } from './signed-in.ts'

/* People at the front of a real fleet: the dashboard through the edge, and the API through the dashboard. */

let fleet: Fleet
let browser: Browser
let origin: string
let email: string

beforeAll(async () => {
  ;[fleet, browser] = await Promise.all([
    startFleet({ judges: true, evals: true, aliases: true, dashboard: true }),
    openBrowser(),
  ])
  origin = fleet.url.replace('127.0.0.1', 'localhost')
  email = await givePassword(fleet, fleet.workspace.userId)
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await fleet?.stop()
}, 180_000)

it.each(['light', 'dark'] as const)(
  'shows the page to sign in through the edge, accessible and within its own policy, in %s',
  async (colorScheme) => {
    const visitor = await visit(browser, origin, { colorScheme })
    const answer = await visitor.page.goto('/sign-in')
    expect(answer?.headers()['content-security-policy']).toContain("default-src 'none'")
    await visitor.page.getByRole('textbox', { name: /e-?mail/i }).waitFor()
    expect(await visitor.accessibilityProblems()).toEqual([])
    expect(visitor.complaints).toEqual([])
    await visitor.close()
  },
  180_000,
)

it('signs a person in by keyboard, who then reads the API without a key', async () => {
  const visitor = await visit(browser, origin)
  const { page } = visitor
  await page.goto('/sign-in')
  await page.getByRole('textbox', { name: /e-?mail/i }).focus()
  await page.keyboard.type(email)
  await page.locator('input[type=password]').focus()
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.waitForURL(new RegExp(`/w/${fleet.workspace.slug}`))
  const models = await page.evaluate(
    async (path) => (await fetch(path)).status,
    `/api/w/${fleet.workspace.slug}/v1/models`,
  )
  expect(models).toBe(200)
  expect(visitor.complaints).toEqual([])
  await visitor.close()
}, 180_000)

it('answers the API for a session, and nothing for a foreign page, a foreign workspace, or a cookie in place of a key', async () => {
  const cookie = await signIn(fleet, email)
  const models = `/api/w/${fleet.workspace.slug}/v1/models`
  expect((await sendFromPage(fleet, models, { cookie })).status).toBe(200)
  expect((await sendFromPage(fleet, models)).status).toBe(401)
  expect((await sendFromPage(fleet, '/api/w/another/v1/models', { cookie })).status).toBe(404)
  expect((await sendFromPage(fleet, '/v1/models', { cookie })).status).toBe(401)
  const foreign = await sendFromPage(fleet, `/api/w/${fleet.workspace.slug}/keys`, {
    method: 'POST',
    body: { name: 'x' },
    cookie,
    headers: { 'sec-fetch-site': 'cross-site' },
  })
  expect(foreign.status).toBe(403)
})

it('has no way past the dashboard: its own listener takes no key, and the public one no signed identity', async () => {
  const { apiKey } = fleet.workspace
  const headers = { authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey }
  const asKey = await fetch(`${fleet.url}/api/w/${fleet.workspace.slug}/v1/models`, { headers })
  expect(asKey.status).toBe(401)
  const asPerson = await fetch(`${fleet.url}/session/review/rounds`, { headers })
  expect([asPerson.status, await asPerson.json()]).toMatchObject([404, { error: { code: 'unknown_url' } }])
})
