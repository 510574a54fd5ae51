import { parseUsd } from '@ratchet/contracts/money'
import { eventually } from '@ratchet/testing/eventually'
import type { Browser, Page } from 'playwright-core'
import { adminAudit, cleanAudit } from './admin-audit.ts'
import { openBrowser, type Visitor } from './browser/open-browser.ts'
import { visitSignedIn } from './browser/signed-in.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { loggedCost, nano } from './improvement/reinforce-by-api.ts'
import { type Api, apiOf, calibrate, createJudge, gradeTruly, type Json, sendTraffic } from './judged-traffic.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { choose } from './workspace-with.ts'

/*
 * A judge that chooses data, a job, a round, a GRPO run, an eval and a tool in a browser, against a real fleet with the
 * simulated trainer, and the bill for all of it.
 */

const balanceUsd = '50.00'
const newTraffic = 250

let fleet: Fleet
let browser: Browser
let api: Api
let visitor: Visitor
let page: Page
let toolId: string
let rightId: string
/** Nano-dollars of what was paid, by what its page or the API said of it. */
const paid = new Map<string, bigint>()

beforeAll(async () => {
  ;[fleet, browser] = await Promise.all([
    startFleet({ dashboard: true, judges: true, evals: true, training: true, workspace: { balanceUsd } }),
    openBrowser(),
  ])
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  api = apiOf(fleet, fleet.workspace)
  await gradeTruly(
    api,
    await sendTraffic(fleet, fleet.workspace, { model: 'sim/quality-0.5', count: 300, tag: 'graded' }),
  )
  await sendTraffic(fleet, fleet.workspace, { model: 'sim/quality-0.5', count: newTraffic, tag: 'new', from: 1_000 })
  for (const [name, model] of [
    ['Right', 'sim/judge-1-1'],
    ['Other', 'sim-anthropic/judge-1-1'],
  ] as const) {
    const { id } = await createJudge(api, model, { name, population: 'graded' })
    const calibration = await calibrate(api, id)
    expect(calibration).toMatchObject({ can_act: true })
    if (name === 'Right') rightId = id
    paid.set(`calibration of ${name}`, nano(calibration.cost_usd))
  }
  await upload('parcels', 60)
  await upload('held out', 32)
  await upload('questions', 400)
  toolId = await createTool()
  visitor = await visitSignedIn(fleet, browser)
  page = visitor.page
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await fleet?.stop()
}, 180_000)

async function upload(name: string, count: number): Promise<void> {
  const examples = Array.from({ length: count }, (_, index) => ({
    messages: [
      { role: 'user', content: `${name}: where is parcel ${index}, which was sent on day ${index}?` },
      { role: 'assistant', content: `Parcel ${index} is on its way.` },
    ],
  }))
  expect((await api('POST', '/datasets', { name, examples })).status).toBe(201)
}

async function createTool(): Promise<string> {
  const { status, json } = await api('POST', '/environment_tools', {
    name: 'find_parcel',
    description: 'Finds a parcel.',
    parameters: { type: 'object', properties: { parcel: { type: 'string' } }, required: ['parcel'] },
    kind: 'static',
    static: { result: 'It is in the depot.' },
  })
  expect(status).toBe(201)
  return json.id
}

const at = (path: string) => `/w/${fleet.workspace.slug}${path}`
const idInAddress = () => page.url().split('/').at(-1) ?? ''

async function choice(label: string, option: string | RegExp): Promise<void> {
  await page.getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option }).first().click()
}

/** An amount of the page, such as `$0.012`, in nano-dollars. */
const nanoOfText = (text: string | null) => parseUsd(/\$([\d.]+)/.exec(text ?? '')?.[1] ?? 'no amount')

/** What a list of the page says under a name of a cost, with every digit. */
async function paidOnPage(name: string, list = ''): Promise<bigint> {
  const within = list === '' ? 'dl' : `dl[aria-label="${list}"]`
  const figure = page.locator(`${within} > div`).filter({ has: page.getByText(name, { exact: true }) })
  return nanoOfText(await figure.locator('dd').textContent())
}

const read = async (path: string): Promise<Json> => (await api('GET', path)).json

async function expectSound(): Promise<void> {
  expect(await visitor.accessibilityProblems()).toEqual([])
  expect(visitor.complaints).toEqual([])
}

it('says that a judge has to scan the log before its verdicts choose training data', async () => {
  await page.goto(at('/datasets/new?tag=new'))
  await page.getByTestId('drops').getByText(`${newTraffic} matched`).waitFor()
  await choice('Judge', /^Right/)
  await page.getByText('The judge has judged none of these exchanges.').waitFor()
  await expectSound()
  await page.getByRole('link', { name: 'Scan the log' }).click()
  await page.waitForURL(/\/judges\/[^/]+\/scans/)
}, 120_000)

it('trains a model on what a judge passed', async () => {
  await page.goto(at(`/judges/${rightId}/scans`))
  await page.getByLabel(/^Sample/).fill('300')
  await page.getByRole('button', { name: 'Scan', exact: true }).click()
  await page.getByText('Pass rate by the judge').waitFor({ timeout: 60_000 })
  paid.set('scan', await paidOnPage('Cost'))
  await page.goto(at('/datasets/new?tag=graded'))
  await choice('Judge', /^Right/)
  await page.getByLabel('Name').fill('right')
  const create = page.getByRole('button', { name: 'Create the dataset' })
  await create.and(page.locator(':enabled')).click()
  await page.getByRole('link', { name: 'Train a model on it' }).click()
  await choice('Model', 'sim/small')
  await page.getByLabel('Suffix').fill('right')
  const start = page.getByRole('button', { name: 'Start the job' })
  await start.and(page.locator(':enabled')).click()
  await page.getByRole('link', { name: 'Open the version' }).waitFor({ timeout: 60_000 })
  await page.getByText('done', { exact: true }).waitFor()
  const job = await read(`/fine_tuning/jobs/${idInAddress()}`)
  expect(job).toMatchObject({ status: 'succeeded', held_usd: 0 })
  paid.set('job', await paidOnPage('Charged', 'Cost of the job'))
  expect(paid.get('job')).toBe(nano(job.cost_usd))
  await expectSound()
}, 120_000)

it('starts a round, follows it to its version, and shows what it has cost', async () => {
  await page.goto(at('/training/raft/new'))
  await page.getByRole('button', { name: 'Start the round' }).waitFor()
  await choice('Model', 'sim/small')
  await choice('Dataset', 'parcels (60)')
  await choice('Measured with', 'held out (32)')
  await choice('Judge', 'Right')
  await page.getByLabel('Least precision').fill('50')
  await page.getByLabel('At most').fill('3')
  await page.getByLabel('Name').fill('parcels')
  await page.getByText('Advanced', { exact: true }).click()
  await page.getByLabel('Epochs').fill('2')
  await page.getByLabel('What the round takes').waitFor()
  await page.getByText('60 to answer, 32 held out').waitFor()
  await expectSound()
  await page.getByRole('button', { name: 'Start the round' }).click()
  await page.getByRole('heading', { name: 'parcels, round 1', level: 1 }).waitFor()
  const id = idInAddress()
  await page.getByText('done', { exact: true }).waitFor({ timeout: 120_000 })
  const { json: round } = await api('GET', `/raft/rounds/${id}`)
  expect(round).toMatchObject({ status: 'done', generated: 480 })
  const { json: trained } = await api('GET', `/fine_tuning/jobs/${round.fine_tuning_job_id}`)
  expect(trained.hyperparameters.n_epochs).toBe(2)
  expect(round.cost_usd).toBeGreaterThan(0)
  const spent = page.getByText(/^\$[\d.]+ of \$3\.00/)
  paid.set('round', nanoOfText(await spent.textContent()))
  expect(paid.get('round')).toBe(nano(round.cost_usd))
  await page.getByText(/^From \d+\s% to \d+\s% of prompts that were held out/).waitFor()
  await expectSound()
  await page.getByRole('link', { name: round.model_version_id }).click()
  await page.waitForURL(new RegExp(`/training/versions/${round.model_version_id}$`))
  await page.getByRole('heading', { level: 1 }).waitFor()
}, 240_000)

it('goes on from the version with rewards, and follows the run until somebody has to decide', async () => {
  await page.goto(at('/training/runs/new'))
  await choice('Or a version of one', /^right, from sim\/small/)
  await choice('Dataset', 'questions (400)')
  await choice('Judge', 'Right')
  await choice('Hold-out judge', 'Other')
  await page.getByLabel('Steps', { exact: true }).fill('16')
  await page.getByLabel('Prompts of a step').fill('4')
  await page.getByLabel('Answers to each prompt').fill('8')
  await page.getByLabel('At most').fill('10')
  await page.getByLabel('Name').fill('parcels')
  const start = page.getByRole('button', { name: 'Start the run' })
  await start.and(page.locator(':enabled')).waitFor()
  await expectSound()
  await start.click()
  await page.getByText('waits for a decision', { exact: true }).waitFor({ timeout: 150_000 })
  const { json: run } = await api('GET', `/grpo/runs/${idInAddress()}`)
  expect(run).toMatchObject({ status: 'awaiting_adoption', progress: { step: 16, total_steps: 16 }, held_usd: 0 })
  expect(run.warm_start_from).toMatch(/^mv_/)
  paid.set('run', await paidOnPage('Charged', 'Cost of the run'))
  expect(paid.get('run')).toBe(nano(run.cost_usd) + nano(run.judge_cost_usd))
  await page.getByRole('img', { name: /^Mean reward over 16 of 16 steps/ }).waitFor()
  await page.getByRole('table', { name: 'Looks of the guard' }).waitFor()
  await expectSound()
  await page.getByRole('link', { name: 'Read answers with their rewards and verdicts' }).click()
  await page.getByText(/^Answer 1 of [\d,]+$/).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Decide about the version' }).click()
  await page.waitForURL(new RegExp(`/training/versions/${run.model_version_id}$`))
}, 300_000)

it('compares the version of the run with its base', async () => {
  const version = page.url()
  await page.getByRole('link', { name: 'Compare it with another model' }).click()
  await page.waitForURL(/\/evals\/new\?candidate=/)
  await page.goto(`${page.url()}&tag=new`)
  await choice('Baseline', 'sim/small')
  await choice('Judge', /^Other/)
  await page.getByRole('slider', { name: /^Number of prompts/ }).press('End')
  const start = page.getByRole('button', { name: 'Start the eval' })
  await start.and(page.locator(':enabled')).waitFor()
  await expectSound()
  await start.click()
  await page.getByRole('heading', { name: 'Figures' }).waitFor({ timeout: 120_000 })
  const done = await read(`/evals/${idInAddress()}`)
  paid.set('eval', nano(done.cost_usd) + nano(done.judge_cost_usd))
  await page.goto(version)
  await page.getByRole('link', { name: 'against sim/small' }).waitFor()
  const rate = await page.getByText(/^\d+\s% \(\d+\s% to \d+\s%\)$/).textContent()
  expect(Number(/\((\d+)/.exec(rate ?? '')?.[1])).toBeGreaterThan(50)
  await expectSound()
}, 180_000)

it('bills what each page has said, to the last digit', async () => {
  paid.set('traffic', await loggedCost({ read }, 'model=sim/quality-0.5'))
  const sum = [...paid.values()].reduce((total, amount) => total + amount, 0n)
  await eventually(
    async () => {
      await page.goto(at('/billing/usage?group_by=purpose'))
      const title = page.getByText(/^Charged: \$/)
      await title.waitFor({ timeout: 10_000 })
      expect(nanoOfText(await title.textContent())).toBe(sum)
    },
    { withinMs: 60_000, everyMs: 1_000 },
  )
  expect(parseUsd(balanceUsd) - (await ledgerAtRest(fleet, fleet.workspace)).balance).toBe(sum)
  expect(await adminAudit(fleet, [fleet.workspace])).toEqual(cleanAudit)
  await expectSound()
}, 120_000)

it('tries a tool as a run would call it', async () => {
  await page.goto(at('/training/tools'))
  await page.getByText('find_parcel').click()
  await page.waitForURL(new RegExp(`/training/tools/${toolId}$`))
  const text = page.getByLabel('Arguments', { exact: true })
  const call = page.getByRole('button', { name: 'Call the tool' })
  await text.fill('{"parcel":7}')
  await call.click()
  await page
    .getByText(/parcel.*string/)
    .first()
    .waitFor()
  await text.fill('{"parcel":"7"}')
  await call.click()
  await page.getByText('It is in the depot.', { exact: true }).waitFor()
  await expectSound()
}, 120_000)
