import { parseUsd } from '@ratchet/contracts/money'
import { connectPool } from '@ratchet/db/connect-pool'
import { topUp } from '@ratchet/db/top-up'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import type { Browser, Page } from 'playwright-core'
import { fillNewEval } from './browser/fill-new-eval.ts'
import { openBrowser, type Visitor } from './browser/open-browser.ts'
import { visitSignedIn } from './browser/signed-in.ts'
import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf } from './judged-traffic.ts'
import { choose } from './workspace-with.ts'

/* What people see of work that the wallet does not cover. */

const tag = 'support'
const held = new AbortController()
let fleet: Fleet
let browser: Browser
let poor: DemoWorkspace
let call: Api
let visitor: Visitor
let page: Page

beforeAll(async () => {
  ;[fleet, browser] = await Promise.all([
    startFleet({ dashboard: true, judges: true, evals: true, workspace: { balanceUsd: '0.02' } }),
    openBrowser(),
  ])
  poor = fleet.workspace
  call = apiOf(fleet, poor)
  await choose(fleet, poor, { loggingEnabled: true })
  const logs = Array.from({ length: 12 }, (_, index) => ({
    model: 'acme/support',
    tag,
    messages: [{ role: 'user', content: `What does article ${index} cost?` }],
    response: { role: 'assistant', content: `It costs $${index}.` },
  }))
  await call('POST', '/logs/import', { logs })
  visitor = await visitSignedIn(fleet, browser)
  page = visitor.page
}, 240_000)
afterAll(async () => {
  held.abort()
  await browser?.close()
  await fleet?.stop()
}, 180_000)

/** Streams hold the worst case of their answers, until nothing is left. */
async function holdAll(): Promise<void> {
  for (let maxTokens = 16_384; maxTokens >= 16; ) {
    const call = { model: 'sim/pace-1000', stream: true, apiKey: poor.apiKey, body: { max_tokens: maxTokens } }
    const { status } = await postChat(fleet, { ...call, signal: held.signal })
    if (status === 402) maxTokens /= 4
    else expect(status).toBe(200)
  }
}

/** Waits until no call of the eval is under way: each gives back a part of its hold when it ends. */
async function untilEvalRests(): Promise<void> {
  const pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 1 })
  const open =
    "SELECT count(*)::int AS calls FROM billing_request WHERE wallet_id = $1 AND state = 'open' AND key_id IS NULL"
  await eventually(async () => (await pool.query(open, [poor.workspaceId])).rows[0].calls === 0, {
    withinMs: 40_000,
    everyMs: 200,
  })
  await pool.end()
}

it('a wallet whose money other calls hold is said by a call, by the form of an eval and by one under way, which a top-up lets go on', async () => {
  const { json: started } = await call('POST', '/evals', {
    name: 'Poor',
    baseline_model: 'sim/quality-0.5',
    candidate_models: ['sim/slow-8000'],
    sample_count: 10,
    judge_model: 'sim/judge-1-1',
    rubric: 'The answer is right.',
    sample_filters: { tag },
  })
  await holdAll()
  // What the first calls of the eval did not need is held too, so that nothing becomes available any more.
  await untilEvalRests()
  await holdAll()
  await page.goto(`/w/${poor.slug}/evals/${started.id}`)
  const waits = page.getByText(/It waits: The wallet does not cover/)
  await waits.waitFor({ timeout: 40_000 })
  await waits.filter({ hasText: 'is available' }).waitFor()
  const available = /\$[\d.]+ is available/.exec((await waits.textContent()) ?? '')?.[0] ?? 'no money'
  expect(await visitor.accessibilityProblems()).toEqual([])

  await page.goto(`/w/${poor.slug}/playground?models=sim/small&log=off`)
  const asked = page.getByRole('textbox', { name: 'User' })
  await asked.fill('Tea is a drink.')
  await page.keyboard.press('Control+Enter')
  const refused = page.getByRole('region', { name: 'Answer 1' }).getByRole('alert')
  await refused.filter({ hasText: 'The wallet does not cover' }).filter({ hasText: available }).waitFor()
  expect(await asked.inputValue()).toBe('Tea is a drink.')

  await fillNewEval(page, `/w/${poor.slug}/evals/new?tag=${tag}`, ['sim/large'])
  await page.getByRole('button', { name: 'Start the eval' }).click()
  await page.getByRole('alert').filter({ hasText: 'the wallet has $0' }).waitFor()
  expect(await page.getByRole('textbox', { name: 'A good answer' }).inputValue()).toBe('The answer is right.')

  const pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 1 })
  await topUp(pool, { workspaceId: poor.workspaceId, amountNano: parseUsd('1'), reference: 'more' })
  await pool.end()
  await page.goto(`/w/${poor.slug}/evals/${started.id}`)
  // A call that the wallet did not cover is made again after a minute.
  await page.getByRole('heading', { name: 'Figures' }).waitFor({ timeout: 120_000 })
  const { status, progress } = (await call('GET', `/evals/${started.id}`)).json
  expect([status, progress.done, progress.total]).toEqual(['DONE', 10, 10])
}, 300_000)
