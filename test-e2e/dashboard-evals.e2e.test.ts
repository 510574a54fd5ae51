import type { DatasetCuration } from '@ratchet/contracts/datasets'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import type { Browser, Locator, Page } from 'playwright-core'
import { fillNewEval } from './browser/fill-new-eval.ts'
import { openBrowser, type Visitor } from './browser/open-browser.ts'
import { visitSignedIn } from './browser/signed-in.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, type Json, sendTraffic, untilOver } from './judged-traffic.ts'
import { ratchetOf } from './ratchet-command.ts'
import { choose } from './workspace-with.ts'

/* Evals and datasets in a browser, against a real fleet. */

const prompts = 100
const tag = 'support'

let fleet: Fleet
let browser: Browser
let workspace: DemoWorkspace
let api: Api
let visitor: Visitor
let page: Page

beforeAll(async () => {
  // A person makes choices faster than the guard of the API allows keys to spend.
  const env = { ABUSE_GUARD_LIMIT: '1000' }
  ;[fleet, browser] = await Promise.all([
    startFleet({ dashboard: true, judges: true, evals: true, env }),
    openBrowser(),
  ])
  workspace = fleet.workspace
  await choose(fleet, workspace, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  await sendTraffic(fleet, workspace, { model: 'sim/quality-0.5', count: prompts, tag })
  visitor = await visitSignedIn(fleet, browser)
  page = visitor.page
}, 240_000)
afterAll(async () => {
  await browser?.close()
  await fleet?.stop()
}, 180_000)

const at = (path: string) => `/w/${workspace.slug}${path}`

const textOf = async (locator: Locator) => (await locator.textContent()) ?? ''

/** Resolves when what moves or changes its colour has ended; what moves for ever is a sign of loading. */
const untilStill = `Promise.allSettled(document.getAnimations()
  .filter(({ effect }) => effect.getComputedTiming().iterations !== Infinity).map(({ finished }) => finished))
  .then(() => undefined)`

/** No rule of accessibility is broken in both themes, and the policy refused nothing. */
async function expectSound(): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor()
    // Colours change gradually, and those between two themes are nobody's choice.
    await page.evaluate(untilStill)
    expect(await visitor.accessibilityProblems()).toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light' })
  expect(visitor.complaints.filter((each) => !each.includes('status of 412'))).toEqual([])
}

let evalId: string

it('estimates an eval of three candidates before it is started, and costs about that', async () => {
  await fillNewEval(page, at(`/evals/new?tag=${tag}`), ['sim/large', 'sim/medium', 'sim/tools'])
  await page.getByText(`${prompts} exchanges`).waitFor()
  const size = page.getByRole('slider', { name: 'Number of prompts' })
  expect(await size.getAttribute('aria-valuenow')).toBe(String(prompts))
  const takes = page.getByLabel('What the eval takes')
  await takes.getByText(`for ${prompts * 4} calls`).waitFor()
  const provable = /win rate from ([\d.]+ %)/.exec(await textOf(page.locator('main')))?.[1]
  const shown = await textOf(takes)
  const estimate = Number(/Together\$([\d.]+)/.exec(shown)?.[1])
  await expectSound()
  await page.getByRole('button', { name: 'Start the eval' }).click()
  await page.waitForURL(/\/evals\/eval_/)
  evalId = page.url().split('/').at(-1) as string
  const done: Json = await untilOver(api, `/evals/${evalId}`, 200_000)
  const cost = done.cost_usd + done.judge_cost_usd
  expect(done.status).toBe('DONE')
  expect(Math.abs(cost / estimate - 1)).toBeLessThan(0.35)
  // The page follows by itself; this is its report.
  await page.getByRole('heading', { name: 'Figures' }).waitFor()
  expect(await textOf(page.getByTestId('smallest-provable'))).toBe(provable)
  expect(done.report.smallest_provable).toBeCloseTo(Number(provable?.replace(' %', '')) / 100 - 0.5, 3)
  await expectSound()
}, 300_000)

/** An eval that takes some seconds. */
async function startWatched(name: string): Promise<Json> {
  const { json } = await api('POST', '/evals', {
    name,
    baseline_model: 'sim/quality-0.5',
    candidate_models: ['sim/quality-0.9'],
    sample_count: prompts,
    repetitions: 5,
    judge_model: 'sim/judge-1-1',
    rubric: 'The answer is right.',
    sample_filters: { tag },
    seed: 2,
  })
  return json
}

/** Notes in the page when the progress of an eval moves, from its first move to the report. */
const noteMoves = `(() => {
  let last = null
  window.moves = []
  const timer = setInterval(() => {
    const text = document.querySelector('[role="progressbar"]')?.getAttribute('aria-valuetext') ?? null
    if (text === last) return
    last = text
    window.moves.push(performance.now())
    if (text === null) clearInterval(timer)
  }, 50)
})()`

it('shows how far an eval is, at least every three seconds, also after the page was loaded again, until its report', async () => {
  const { id } = await startWatched('Watched')
  await page.goto(at(`/evals/${id}`))
  const bar = page.getByRole('progressbar', { name: 'Samples' })
  await bar.waitFor()
  await page.reload()
  const figures = page.getByRole('heading', { name: 'Figures' })
  await bar.waitFor()
  await page.evaluate(noteMoves)
  await figures.waitFor({ timeout: 60_000 })
  const moves = (await page.evaluate('window.moves')) as number[]
  expect(moves.length).toBeGreaterThan(2)
  const pauses = moves.slice(1).map((at, index) => at - (moves[index] ?? 0))
  expect(Math.max(...pauses)).toBeLessThan(3_000)
  await page.goto(at('/evals'))
  await page
    .getByRole('row', { name: /Watched/ })
    .getByText('done')
    .waitFor()
  await expectSound()
}, 300_000)

it('shows the report of an eval that ended while the tab was frozen, without loading the page again', async () => {
  const { id } = await startWatched('Frozen')
  await page.goto(at(`/evals/${id}`))
  const figures = page.getByRole('heading', { name: 'Figures' })
  await page.getByRole('progressbar', { name: 'Samples' }).or(figures).first().waitFor()
  await page.evaluate('window.loadedBefore = true')
  const session = await page.context().newCDPSession(page)
  await session.send('Page.setWebLifecycleState', { state: 'frozen' })
  await untilOver(api, `/evals/${id}`, 60_000)
  await session.send('Page.setWebLifecycleState', { state: 'active' })
  await figures.waitFor({ timeout: 20_000 })
  expect(await page.evaluate('window.loadedBefore')).toBe(true)
  await session.detach()
}, 300_000)

it('says of a gate what the copied command says', async () => {
  const ratchet = ratchetOf(fleet, workspace)
  await page.goto(at(`/evals/${evalId}`))
  const answer = page.getByRole('status').filter({ hasText: 'the command ends with' })
  const command = page.getByLabel('The same gate as a command')
  await answer.filter({ hasText: '412' }).waitFor()
  await page.getByRole('checkbox', { name: 'Errors at most' }).check()
  const compare = async (code: 0 | 2) => {
    await answer.filter({ hasText: `ends with ${code}` }).waitFor()
    const words = (await textOf(command)).split(' ').slice(1)
    const ran = await ratchet(...words)
    expect(ran.code).toBe(code)
    const shown = await page.getByLabel('Checks of the gate').getByRole('row').allTextContents()
    const names = shown.slice(1).map((row) => /^[a-z_\d]+/.exec(row)?.[0] ?? '')
    expect(names.length).toBeGreaterThan(3)
    for (const [index, name] of names.entries()) {
      expect(ran.stdout).toMatch(new RegExp(`^${shown[index + 1]?.includes('holds') ? '✓' : '✗'} +${name} `, 'm'))
    }
  }
  await compare(2)
  await page.getByRole('checkbox', { name: 'Judge was measured' }).uncheck()
  await compare(0)
  await expectSound()
}, 180_000)

it('records twenty choices by keys without names, and shows the agreement that they have with the judge', async () => {
  const { json: made } = await api('POST', '/evals', {
    name: 'Blind',
    baseline_model: 'sim/quality-0.5',
    candidate_models: ['sim/quality-0.9'],
    sample_count: 20,
    judge_model: 'sim/judge-1-1',
    rubric: 'The answer is right.',
    sample_filters: { tag },
    seed: 3,
  })
  await untilOver(api, `/evals/${made.id}`, 60_000)
  await page.goto(at(`/evals/${made.id}/samples/1`))
  await page.getByText('What the judge said').waitFor()
  await page.keyboard.press('w')
  await page.getByText('the candidate wins').waitFor()
  await expectSound()
  await page.keyboard.press('b')
  for (let sample = 1; sample <= 20; sample += 1) {
    await page.getByText(`Sample ${sample} of 20`).waitFor()
    // Keys choose only what is on screen.
    await page.locator('main:not(:has([aria-busy="true"]))').waitFor()
    const text = await textOf(page.locator('main'))
    expect(text).not.toMatch(/quality-0\.[59]|What the judge said|Baseline|Candidate/)
    const left = await textOf(page.getByRole('heading', { name: 'Left' }).locator('xpath=ancestor::section[1]'))
    if (sample === 1) await expectSound()
    await page.keyboard.press(sample % 7 === 0 ? '0' : left.includes('(flawed)') ? '2' : '1')
  }
  const said = await textOf(page.getByTestId('agreement'))
  const preferences = await api('GET', `/evals/${made.id}/preferences?limit=200`)
  const samples = await api('GET', `/evals/${made.id}/samples?limit=200`)
  expect(preferences.json.total).toBe(20)
  // The first sample was seen with its names before, and so was the first that the candidate wins.
  const seen = samples.json.data[0].outcome === 'win' ? 1 : 2
  expect(preferences.json.data.filter(({ blind }: Json) => blind)).toHaveLength(20 - seen)
  const meaning: Json = { candidate: 'win', baseline: 'loss', tie: 'tie' }
  const outcomes = new Map(samples.json.data.map(({ id, outcome }: Json) => [id, outcome]))
  const agreed = preferences.json.data.filter((each: Json) => outcomes.get(each.sample_id) === meaning[each.preference])
  expect(said).toContain(`agree on ${agreed.length} of 20 samples`)
  expect(agreed.length).toBeGreaterThan(5)
  await expectSound()
}, 300_000)

/** Each asks something else: questions that differ in a name or a number would be on one side of a split. */
const questions = [
  'Which bicycle suits a child of six?',
  'How long does paint need to dry in winter?',
  'Can the kettle be repaired under warranty?',
  'Why is my invoice higher than last month?',
  'Do you deliver to islands without a bridge?',
  'What does the red lamp on the heater mean?',
  'Is there a discount for schools and libraries?',
  'Where do I find the serial number of the drill?',
  'Who translates the manuals into Finnish?',
  'When will the blue garden chairs be back?',
  'Should seeds be kept in the fridge?',
  'May I exchange a gift without the receipt?',
]

it('previews a dataset as a sum, opens examples of every reason, and holds out what training does not have', async () => {
  const mixed = 'mixed'
  const answered = [...questions, ...questions.slice(0, 4)].map((content) => ({ content, end: 'stop' }))
  const flawed = ['length', 'content_filter', 'content_filter', 'stop', 'stop', 'stop'].map((end, index) => ({
    content: `A request that did not end well, number ${index}.`,
    end,
  }))
  const logs = [...answered, ...flawed].map(({ content, end }, index) => ({
    model: 'acme/support',
    tag: mixed,
    // An import leaves out what it has already stored.
    created_at: new Date(Date.now() - (index + 1) * 60_000).toISOString(),
    messages: [{ role: 'user', content }],
    response: { role: 'assistant', content: index < 19 ? `The answer to: ${content}` : '' },
    finish_reason: end,
  }))
  expect((await api('POST', '/logs/import', { logs })).json).toMatchObject({ imported: 22 })
  await page.goto(at(`/datasets/new?tag=${mixed}`))
  const sum = page.getByTestId('drops')
  await sum.getByText('22 matched').waitFor()
  await page.getByRole('textbox', { name: 'Examples at most' }).fill('10')
  await sum.getByText('10 kept').waitFor()
  const numbers = (await textOf(sum)).match(/\d+/g)?.map(Number) ?? []
  expect(numbers[0]).toBe(numbers.slice(1).reduce((total, each) => total + each, 0))
  for (const [reason, number, end] of [
    ['failed', 2, 'content_filter'],
    ['cut off', 1, 'length'],
    ['empty', 3, 'stop'],
    ['duplicates', 4, 'stop'],
    ['above the maximum', 2, 'stop'],
  ] as const) {
    expect(await textOf(sum)).toContain(`${number} ${reason}`)
    await page.getByRole('button', { name: new RegExp(reason) }).click()
    const examples = page.getByRole('region', { name: `Dropped: ${reason}` })
    await examples.getByText(`All ${number}`).waitFor()
    await examples
      .getByText(`It ended with ${end}.`)
      .nth(number - 1)
      .waitFor()
  }
  await expectSound()
  await page.getByRole('textbox', { name: 'Examples at most' }).fill('')
  await sum.getByText('12 kept').waitFor()
  await page.getByRole('textbox', { name: 'Held out' }).fill('25')
  await page.getByText(/[1-9] held out/).waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('mixed')
  const replies = page.waitForResponse((answer) => answer.url().endsWith('/v1/datasets/from_logs'))
  await page.getByRole('button', { name: 'Create the dataset' }).click()
  const made = (await (await replies).json()) as DatasetCuration
  const { matched, kept, dropped: lost } = made.summary
  expect(matched).toBe(kept + Object.values(lost).reduce((total, each) => total + each, 0))
  await page.getByRole('heading', { name: 'mixed', exact: true }).waitFor()
  await page.getByText(made.dataset?.sha256 as string).waitFor()
  await page.getByRole('row', { name: /\?/ }).first().waitFor()
  const sides = await Promise.all(
    [made.dataset, made.eval_dataset].map(
      async (each) => (await api('GET', `/datasets/${each?.id}/examples?limit=200`)).json,
    ),
  )
  const hashes = sides.map(({ data }) => data.map(({ sha256 }: Json) => sha256))
  expect(hashes[1].length).toBeGreaterThan(0)
  expect(hashes[0].filter((hash: string) => hashes[1].includes(hash))).toEqual([])
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'csv' }).click()])
  expect(download.suggestedFilename()).toContain('.csv')
  await expectSound()
}, 300_000)

it('uploads a file, names its wrong line, and says which secrets it replaced', async () => {
  const example = (content: string) =>
    JSON.stringify({
      messages: [
        { role: 'user', content },
        { role: 'assistant', content: 'Yes.' },
      ],
    })
  const file = (lines: readonly string[]) => ({
    name: 'mine.jsonl',
    mimeType: 'application/jsonl',
    buffer: Buffer.from(lines.join('\n')),
  })
  await page.goto(at('/datasets/upload'))
  await page.getByLabel('File').setInputFiles(file([example('One'), '{"messages":[]}']))
  await page.getByText(/^Line 2, messages/).waitFor()
  const key = `AKIA${'ABCDEFGH234567XY'}`
  await page.getByLabel('File').setInputFiles(file([example('One'), example(`My key is ${key}.`)]))
  await page.getByText('2 examples read').waitFor()
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.getByText(/1 secret replaced/).waitFor()
  await page.getByRole('link', { name: 'Open the dataset' }).click()
  await page.getByText('an upload').waitFor()
  expect(await textOf(page.locator('main'))).not.toContain(key)
  await expectSound()
}, 180_000)

it('does not delete a dataset that an eval still has to read', async () => {
  const { json: curated } = await api('POST', '/datasets/from_logs', { name: 'still read', filters: { tag } })
  const dataset = `/datasets/${curated.dataset.id}`
  await fleet.evalWorker.stop()
  const waiting = await api('POST', '/evals', {
    name: 'Waits',
    baseline_model: 'sim/quality-0.5',
    candidate_models: ['sim/quality-0.9'],
    sample_count: 5,
    judge_model: 'sim/judge-1-1',
    rubric: 'The answer is right.',
    sample_filters: { dataset_id: curated.dataset.id },
  })
  expect(waiting.json.status).toBe('PENDING')
  const refused = await api('DELETE', dataset)
  expect([refused.status, refused.json.error.code]).toEqual([409, 'dataset_in_use'])
  await fleet.restartEvalWorker()
  expect((await untilOver(api, `/evals/${waiting.json.id}`, 60_000)).status).toBe('DONE')
  // A job may read it too, and the service that knows is not a part of this fleet.
  expect((await api('DELETE', dataset)).json.error.code).toBe('service_unavailable')
}, 180_000)
