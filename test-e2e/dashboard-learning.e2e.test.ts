import type { Browser, Page } from 'playwright-core'
import { openBrowser, type Visitor } from './browser/open-browser.ts'
import { visitSignedIn } from './browser/signed-in.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, calibrate, createJudge, gradeTruly, sendTraffic } from './judged-traffic.ts'
import { choose } from './workspace-with.ts'

/* A judge that chooses data, a round, a GRPO run and a tool in a browser, against a real fleet with the simulated trainer. */

let fleet: Fleet
let browser: Browser
let api: Api
let visitor: Visitor
let page: Page
let toolId: string

beforeAll(async () => {
  ;[fleet, browser] = await Promise.all([
    startFleet({ dashboard: true, judges: true, training: true, workspace: { balanceUsd: '50.00' } }),
    openBrowser(),
  ])
  await choose(fleet, fleet.workspace, { loggingEnabled: true })
  api = apiOf(fleet, fleet.workspace)
  await gradeTruly(
    api,
    await sendTraffic(fleet, fleet.workspace, { model: 'sim/quality-0.5', count: 300, tag: 'graded' }),
  )
  await sendTraffic(fleet, fleet.workspace, { model: 'sim/quality-0.5', count: 20, tag: 'new', from: 1_000 })
  for (const [name, model] of [
    ['Right', 'sim/judge-1-1'],
    ['Other', 'sim-anthropic/judge-1-1'],
  ] as const) {
    const { id } = await createJudge(api, model, { name, population: 'graded' })
    expect(await calibrate(api, id)).toMatchObject({ can_act: true })
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

async function expectSound(): Promise<void> {
  expect(await visitor.accessibilityProblems()).toEqual([])
  expect(visitor.complaints).toEqual([])
}

it('says that a judge has to scan the log before its verdicts choose training data', async () => {
  await page.goto(at('/datasets/new?tag=new'))
  await page.getByTestId('drops').getByText('20 matched').waitFor()
  await choice('Judge', /^Right/)
  await page.getByText('The judge has judged none of these exchanges.').waitFor()
  await expectSound()
  await page.getByRole('link', { name: 'Scan the log' }).click()
  await page.waitForURL(/\/judges\/[^/]+\/scans/)
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
  await expectSound()
  await page.getByRole('button', { name: 'Start the round' }).click()
  await page.getByRole('heading', { name: 'parcels, round 1', level: 1 }).waitFor()
  const id = idInAddress()
  await page.getByText('done', { exact: true }).waitFor({ timeout: 120_000 })
  const { json: round } = await api('GET', `/raft/rounds/${id}`)
  expect(round).toMatchObject({ status: 'done', generated: 480 })
  expect(round.cost_usd).toBeGreaterThan(0)
  await page.getByText(/^From \d+\s% to \d+\s% of prompts that were held out/).waitFor()
  await expectSound()
  await page.getByRole('link', { name: round.model_version_id }).click()
  await page.waitForURL(new RegExp(`/training/versions/${round.model_version_id}$`))
  await page.getByRole('heading', { level: 1 }).waitFor()
}, 240_000)

it('starts a run from its estimate, and follows it until somebody has to decide', async () => {
  await page.goto(at('/training/runs/new'))
  await choice('Model', 'sim/small')
  await choice('Dataset', 'questions (400)')
  await choice('Judge', 'Right')
  await choice('Hold-out judge', 'Other')
  await page.getByLabel('Steps', { exact: true }).fill('6')
  await page.getByLabel('Prompts of a step').fill('4')
  await page.getByLabel('Answers to each prompt').fill('4')
  await page.getByLabel('At most').fill('3')
  await page.getByLabel('Name').fill('parcels')
  const start = page.getByRole('button', { name: 'Start the run' })
  await start.and(page.locator(':enabled')).waitFor()
  await expectSound()
  await start.click()
  await page.getByText('waits for a decision', { exact: true }).waitFor({ timeout: 150_000 })
  const { json: run } = await api('GET', `/grpo/runs/${idInAddress()}`)
  expect(run).toMatchObject({ status: 'awaiting_adoption', progress: { step: 6, total_steps: 6 }, held_usd: 0 })
  await page.getByRole('img', { name: /^Mean reward over 6 of 6 steps/ }).waitFor()
  await page.getByRole('table', { name: 'Looks of the guard' }).waitFor()
  await expectSound()
  await page.getByRole('link', { name: 'Read answers with their rewards and verdicts' }).click()
  await page.getByText(/^Answer 1 of \d+$/).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Decide about the version' }).click()
  await page.waitForURL(new RegExp(`/training/versions/${run.model_version_id}$`))
}, 300_000)

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
