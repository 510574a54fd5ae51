import type { Browser, Page } from 'playwright-core'
import { openBrowser, type Visitor } from './browser/open-browser.ts'
import { visitSignedIn } from './browser/signed-in.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf } from './judged-traffic.ts'
import { choose } from './workspace-with.ts'

/* A dataset of a teacher's answers and a fine-tuning job in a browser, against a real fleet with the simulated trainer. */

const examples = 40

let fleet: Fleet
let browser: Browser
let api: Api
let visitor: Visitor
let page: Page
let datasetId: string

beforeAll(async () => {
  // Every page shows how many items wait for the person's grades, so judges run too.
  const services = { dashboard: true, judges: true, training: true }
  ;[fleet, browser] = await Promise.all([startFleet(services), openBrowser()])
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  api = apiOf(fleet, fleet.workspace)
  const made = await api('POST', '/datasets', { name: 'parcels', examples: Array.from({ length: examples }, example) })
  datasetId = made.json.dataset.id
  visitor = await visitSignedIn(fleet, browser)
  page = visitor.page
}, 240_000)
afterAll(async () => {
  await browser?.close()
  await fleet?.stop()
}, 180_000)

function example(_: unknown, index: number) {
  return {
    messages: [
      { role: 'user', content: `Where is parcel ${index}? It was sent on day ${index} of the month.` },
      { role: 'assistant', content: `Parcel ${index} is on its way, and comes within three days.` },
    ],
  }
}

const at = (path: string) => `/w/${fleet.workspace.slug}${path}`

async function expectSound(): Promise<void> {
  expect(await visitor.accessibilityProblems()).toEqual([])
  expect(visitor.complaints).toEqual([])
}

it('trains a model on a dataset, from the estimate to the last checkpoint, and charges what the page says', async () => {
  await page.goto(at(`/datasets/${datasetId}`))
  await page.getByRole('link', { name: 'Train a model on it' }).click()
  await page.getByRole('combobox', { name: 'Model' }).click()
  await page.getByRole('option', { name: 'sim/small' }).click()
  await page.getByText('Held at the start').waitFor()
  await page.getByLabel('Suffix').fill('parcels')
  await expectSound()
  await page.getByRole('button', { name: 'Start the job' }).click()
  await page.getByRole('heading', { name: 'parcels, from sim/small', level: 1 }).waitFor()
  const id = page.url().split('/').at(-1)
  await page.getByText('done', { exact: true }).waitFor({ timeout: 60_000 })
  const { json: job } = await api('GET', `/fine_tuning/jobs/${id}`)
  expect(job).toMatchObject({ status: 'succeeded', suffix: 'parcels', held_usd: 0 })
  const { step, total_steps: total } = job.progress
  expect(step).toBe(total)
  await page.getByRole('img', { name: new RegExp(`^Loss over ${total} of ${total} steps: training from`) }).waitFor()
  const cost = await page.getByRole('img', { name: /nothing is held/ }).getAttribute('aria-label')
  // Amounts below a dollar are shown with two digits.
  expect(Math.abs(Number(/^\$([\d.]+) charged/.exec(cost ?? '')?.[1]) / job.cost_usd - 1)).toBeLessThan(0.05)
  await page
    .getByRole('table', { name: 'Checkpoints' })
    .getByRole('cell', { name: String(total) })
    .first()
    .waitFor()
  await page.getByRole('log').getByText('Job created.').waitFor()
  await expectSound()
  await page.getByRole('link', { name: 'Training' }).first().click()
  await page.getByRole('table', { name: 'Fine-tuning jobs' }).getByText('parcels, from sim/small').waitFor()
}, 180_000)

it("makes a dataset of a teacher's answers, and shows how far it is until it is ready", async () => {
  await page.goto(at('/datasets'))
  await page.getByRole('button', { name: 'Ask a teacher' }).click()
  await page.getByText('Choose a teacher.').waitFor()
  await page.getByRole('combobox', { name: 'Teacher' }).click()
  await page.getByRole('option', { name: 'sim/large' }).click()
  await page.getByRole('combobox', { name: 'Dataset' }).click()
  await page.getByRole('option', { name: 'parcels (40)' }).click()
  await page.getByLabel('Name').fill('From a teacher')
  await page.getByLabel('At most').fill('2')
  await expectSound()
  await page.getByRole('button', { name: 'Ask the teacher' }).click()
  await page.getByRole('heading', { name: 'From a teacher', level: 1 }).waitFor()
  await page.getByText('How it was made').waitFor({ timeout: 60_000 })
  await page.getByText('40 of 40', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Train a model on it' }).waitFor()
  await expectSound()
  await page.goto(at('/datasets'))
  await page
    .getByRole('row', { name: /From a teacher/ })
    .getByText('ready', { exact: true })
    .waitFor()
  await expectSound()
}, 180_000)
