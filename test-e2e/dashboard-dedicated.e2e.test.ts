import { eventually } from '@ratchet/testing/eventually'
import type { Browser, Page } from 'playwright-core'
import { openBrowser, type Visitor } from './browser/open-browser.ts'
import { visitSignedIn } from './browser/signed-in.ts'
import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf } from './judged-traffic.ts'

/* A dedicated endpoint in a browser on a real fleet with simulated engines, from its estimate to its end. */

let fleet: Fleet
let browser: Browser
let api: Api
let visitor: Visitor
let page: Page

beforeAll(async () => {
  ;[fleet, browser] = await Promise.all([startFleet({ dashboard: true, judges: true, training: true }), openBrowser()])
  api = apiOf(fleet, fleet.workspace)
  visitor = await visitSignedIn(fleet, browser)
  page = visitor.page
}, 240_000)
afterAll(async () => {
  await browser?.close()
  await fleet?.stop()
}, 180_000)

const at = (path: string) => `/w/${fleet.workspace.slug}/training/endpoints${path}`
/** The list is a plain array. */
const listed = async () => JSON.parse((await api('GET', '/dedicated/endpoints')).text)
const state = (word: string) => page.locator('[aria-live=polite]').getByText(word, { exact: true })

it('is created from an estimate, starts, answers, is changed, stopped and deleted, while the page follows', async () => {
  await page.goto(at(''))
  await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor()
  await page.keyboard.press('c')
  await page.getByRole('combobox', { name: 'Model', exact: true }).click()
  await page.getByRole('option', { name: 'sim/small' }).click()
  await page.getByRole('combobox', { name: 'Hardware' }).click()
  await page.getByRole('option', { name: /^sim-1x · \$0\.60 an hour/ }).click()
  await page.getByLabel('Name', { exact: true }).fill('Support')
  await page.getByLabel('An hour costs at most').fill('0.5')
  await page.getByText('the cap is reached after 50 minutes of an hour').waitFor()
  expect(await visitor.accessibilityProblems()).toEqual([])
  await page.getByRole('button', { name: 'Create the endpoint' }).click()
  await page.getByRole('heading', { name: 'Support', level: 1 }).waitFor()
  await state('runs').waitFor({ timeout: 60_000 })
  await page.getByRole('heading', { name: 'Replicas: 1 of 1 ready' }).waitFor()
  const [endpoint] = await listed()
  expect(endpoint).toMatchObject({ state: 'RUNNING', max_hourly_cost_usd: 0.5, price_usd_per_hour: 0.6 })

  const answered = () => postChat(fleet, { apiKey: fleet.workspace.apiKey, model: endpoint.model_id })
  await eventually(async () => expect((await answered()).status).toBe(200), { withinMs: 20_000, everyMs: 500 })
  await page.getByRole('definition').filter({ hasText: /^now$/ }).first().waitFor()

  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await page.getByLabel('An hour costs at most').fill('')
  await page.getByRole('button', { name: 'Change it' }).click()
  await page.getByText('what the wallet covers').waitFor()
  expect((await api('GET', `/dedicated/endpoints/${endpoint.id}`)).json.max_hourly_cost_usd).toBeNull()

  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByRole('button', { name: 'Stop it' }).click()
  await state('stopped').waitFor({ timeout: 60_000 })
  await page.getByText('Nothing runs, so nothing is charged.').waitFor()
  const { spend } = (await api('GET', `/dedicated/endpoints/${endpoint.id}`)).json
  expect(spend.total_usd).toBeGreaterThan(0)

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete it' }).click()
  // It is listed until its replicas have ended.
  await eventually(async () => expect(await listed()).toEqual([]), { withinMs: 60_000, everyMs: 500 })
  await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor()
  expect(visitor.complaints).toEqual([])
}, 240_000)

it('is shown to a member, who is told who may change it', async () => {
  const created = await api('POST', '/dedicated/endpoints', { name: 'Night', model: 'sim/small', hardware: 'sim-1x' })
  const member = await visitSignedIn(fleet, browser, { userId: (await fleet.workspace.addMember('member')).userId })
  await member.page.goto(at(`/${created.json.id}`))
  await member.page.getByRole('heading', { name: 'Night', level: 1 }).waitFor()
  await member.page.getByText('Only owners and admins can do this.').waitFor()
  for (const name of ['Change', 'Stop', 'Delete']) {
    expect([name, await member.page.getByRole('button', { name, exact: true }).isDisabled()]).toEqual([name, true])
  }
  expect(await member.accessibilityProblems()).toEqual([])
  await member.page.goto(at('/new'))
  await member.page.getByText('Only owners and admins can do this.').waitFor()
  await member.close()
  await api('DELETE', `/dedicated/endpoints/${created.json.id}`)
}, 120_000)
