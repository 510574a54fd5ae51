import { connectPool } from '@ratchet/db/connect-pool'
import { eventually } from '@ratchet/testing/eventually'
import type { Browser } from 'playwright-core'
import { openBrowser, visit } from './browser/open-browser.ts'
import { signInOnPage } from './browser/page-steps.ts'
import { postChat } from './clients.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { apiOf, createJudge } from './judged-traffic.ts'
import { givePassword, password } from './signed-in.ts'
import { choose } from './workspace-with.ts'

/* A shorter retention, chosen on the page for it. */

let fleet: Fleet
let browser: Browser
const old = 100
const recent = 5

beforeAll(async () => {
  ;[fleet, browser] = await Promise.all([
    startFleet({ judges: true, evals: true, aliases: true, dashboard: true }),
    openBrowser(),
  ])
  await choose(fleet, fleet.workspace, { loggingEnabled: true, retentionDays: 30 })
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await fleet?.stop()
}, 180_000)

/** Sends requests, and waits until the log has them. */
async function send(count: number, total: number): Promise<void> {
  const { apiKey } = fleet.workspace
  for (let index = 0; index < count; index += 10) {
    const some = Array.from({ length: Math.min(10, count - index) }, async () =>
      (await postChat(fleet, { model: 'sim/echo', apiKey })).text(),
    )
    await Promise.all(some)
  }
  await eventually(async () => (await storedLogs()) === total, { withinMs: 45_000, everyMs: 100 })
}

const api = () => apiOf(fleet, fleet.workspace)
const storedLogs = async (): Promise<number> => (await api()('GET', '/logs?content=none')).json.total
async function exportedLogs(): Promise<number> {
  const headers = { authorization: `Bearer ${fleet.workspace.apiKey}` }
  const lines = await (await fetch(`${fleet.url}/v1/logs/export`, { headers })).text()
  return lines.trim().split('\n').length
}

/** Makes every entry so far older than the coming retention, in the partitions in which they are. */
async function age(days: number): Promise<void> {
  const pool = connectPool({ databaseUrl: fleet.databaseUrl, max: 1 })
  await pool.query('UPDATE exchange SET created_at = created_at - make_interval(days => $1)', [days])
  await pool.end()
}

it('says how many exchanges go, and deletes them within one sweep; datasets and grades stay', async () => {
  await send(old, old)
  const [graded] = (await api()('GET', '/logs?limit=1')).json.data
  const label = await api()('POST', '/labels', { log_id: graded.id, label: 'pass' })
  const dataset = (await api()('POST', '/datasets/from_logs', { name: 'kept' })).json.dataset
  expect([label.status, dataset.example_count]).toEqual([201, expect.any(Number)])
  const judge = await createJudge(api(), 'sim/judge', { name: 'Sound' })
  await age(10)
  await send(recent, old + recent)

  const { page, complaints, close } = await visit(browser, fleet.url.replace('127.0.0.1', 'localhost'))
  const email = await givePassword(fleet, fleet.workspace.userId)
  await signInOnPage(page, { email, password, lands: new RegExp(`/w/${fleet.workspace.slug}`) })
  await page.goto(`/w/${fleet.workspace.slug}/settings/logging`)
  await page.getByText('7 days', { exact: true }).click()
  await page.getByRole('dialog').getByText(`${old} exchanges`).waitFor()
  await page.getByRole('button', { name: 'Delete older exchanges' }).click()
  await page.getByText('The logging settings are saved.').waitFor()
  expect(complaints).toEqual([])
  await close()

  // A worker sweeps when it starts.
  await fleet.loggingWorker.stop()
  await fleet.restartLoggingWorker()
  await eventually(async () => (await storedLogs()) === recent, { withinMs: 45_000, everyMs: 100 })
  expect(await exportedLogs()).toBe(recent)
  expect((await api()('GET', `/logs/${graded.id}`)).status).toBe(404)
  const scan = await api()('POST', `/criteria/${judge.id}/scan`, { sample_count: old, dry_run: true })
  expect(scan.json.matched).toBe(recent)
  expect((await api()('GET', `/datasets/${dataset.id}`)).json.example_count).toBe(dataset.example_count)
  expect((await api()('GET', '/labels')).json.data.map(({ log_id: id }: { log_id: string }) => id)).toEqual([graded.id])
}, 300_000)
