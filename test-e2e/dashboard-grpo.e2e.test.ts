import { demoScript } from './browser/demo-script.ts'
import type { VisitOptions } from './browser/open-browser.ts'
import { scriptedPages } from './browser/scripted-pages.ts'
import { refusal, type Script } from './browser/scripted-server.ts'

/* GRPO runs, and audits of rounds too, in a browser, with scripted replies instead of a fleet. */

const pages = scriptedPages()
const open = (path: string, script: Script = demoScript, options?: VisitOptions) =>
  pages.open(path, { ...options, script })

beforeAll(() => pages.start(), 300_000)
afterEach(() => pages.close())
afterAll(() => pages.stop())

const runs = '/api/w/demo/v1/grpo/runs'

it('shows what waits for a decision, and leads to the version', async () => {
  const { visitor } = await open('/w/demo/training/runs')
  const { page } = visitor
  await page.getByRole('link', { name: 'GRPO 1 run waits for a decision' }).waitFor()
  await page.getByText('1 run is trained and measured, and nobody has decided about it.').waitFor()
  await page.getByText('Polite answers').click()
  await page.waitForURL(/\/training\/runs\/grpo_1$/)
  await page
    .getByRole('img', { name: /^Mean reward over 40 of 40 steps: from 0\.42 to 0\.69, .* before training 0\.42/ })
    .waitFor()
  await page.getByRole('img', { name: /^Gain that only the reward sees, in points \+1\.0, .*: not breached/ }).waitFor()
  await page
    .getByRole('table', { name: 'Looks of the guard' })
    .getByText(/^1 of 12, at most 34\s%$/)
    .waitFor()
  await page.getByRole('img', { name: /^\$1\.84 charged of an estimated \$2\.40/ }).waitFor()
  expect(await visitor.accessibilityProblems()).toEqual([])
  await page.getByRole('link', { name: 'Decide about the version' }).click()
  await page.waitForURL(/\/training\/versions\/mv_1$/)
}, 180_000)

it('resumes a run that the guard has paused, after a question, and says why it is refused', async () => {
  let answer: unknown = refusal(409, 'criterion_not_trustworthy', 'The judge is not proven any more.')
  const script = { ...demoScript, [`POST ${runs}/grpo_2/resume`]: () => answer }
  const { visitor, server } = await open('/w/demo/training/runs/grpo_2', script)
  const { page } = visitor
  await page.getByText(/at least 7 points that the hold-out judge does not see/).waitFor()
  await page.getByText('No step was rewarded yet.').waitFor()
  await page.keyboard.press('p')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Resume the run' }).click()
  await dialog.getByText('The judge is not proven any more.').waitFor()
  answer = demoScript[`GET ${runs}/grpo_1`]
  await dialog.getByRole('button', { name: 'Resume the run' }).click()
  await page.getByText('The run is queued again.').waitFor()
  expect(server.calls.filter(({ call }) => call.endsWith('/resume'))).toHaveLength(2)
}, 180_000)

it('walks through answers with their verdicts', async () => {
  const { visitor } = await open('/w/demo/training/runs/grpo_1/rollouts')
  const { page } = visitor
  await page.getByText('It answers the question.').waitFor()
  await page.getByText('It is on its way, answer 1.').waitFor()
  await page.keyboard.press('j')
  await page.getByText('Answer 2 of 2').waitFor()
  await page.getByText('Disagreement', { exact: true }).click()
  await page.waitForURL(/sort=disagreement/)
  await page.getByText('Answer 1 of 2').waitFor()
  expect(await visitor.accessibilityProblems()).toEqual([])
}, 180_000)

it.each([
  ['the best-scored answers of a run', 'grpo/runs/grpo_1', 'runs/grpo_1'],
  ['what a round trained on', 'raft/rounds/raft_1', 'raft/raft_1'],
])(
  'grades %s by keys, without showing a verdict',
  async (_, ofApi, ofPage) => {
    const call = `GET /api/w/demo/v1/${ofApi}/audit`
    const graded: { readonly rollout_id: string; readonly label: string }[] = []
    const audit = demoScript[call] as { readonly data: readonly { readonly rollout_id: string }[] }
    const script = {
      ...demoScript,
      [call]: () => ({
        ...audit,
        graded: graded.length,
        data: audit.data.map((each) => ({
          ...each,
          grade: graded.find(({ rollout_id: id }) => id === each.rollout_id)?.label ?? null,
        })),
      }),
      'POST /api/w/demo/session/labels': (body: unknown) => {
        graded.push(body as (typeof graded)[number])
        return {}
      },
    }
    const { visitor } = await open(`/w/demo/training/${ofPage}/audit`, script)
    const { page } = visitor
    await page.getByText('Audited answer 1.').waitFor()
    expect(await page.getByText('It answers the question.').count()).toBe(0)
    await page.keyboard.press('f')
    await page.getByText('Audited answer 2.').waitFor()
    await page.getByText('1 of 2', { exact: true }).waitFor()
    await page.getByRole('button', { name: /^Pass/ }).click()
    await page.getByText('You graded it: pass').waitFor()
    expect(graded).toEqual([
      { unit: 'answer', rollout_id: 'roll_1', label: 'fail' },
      { unit: 'answer', rollout_id: 'roll_2', label: 'pass' },
    ])
    expect(await visitor.accessibilityProblems()).toEqual([])
  },
  180_000,
)

it('estimates a run, says what is wrong at its field, and starts it', async () => {
  let answer: unknown = {
    status: 409,
    body: {
      error: {
        message: 'This judge passes answers that say nothing.',
        type: 'invalid_request_error',
        code: 'criterion_not_trustworthy',
        param: 'reward.criteria.0.criterionId',
        request_id: 'r1',
      },
    },
  }
  const criteria = demoScript['GET /api/w/demo/v1/criteria'] as { readonly data: readonly object[] }
  const proven = { ...criteria, data: criteria.data.map((each) => ({ ...each, can_act: true })) }
  const script = {
    ...demoScript,
    'GET /api/w/demo/v1/criteria': proven,
    [`POST ${runs}`]: () => answer,
  }
  const { visitor, server } = await open('/w/demo/training/runs', script)
  const { page } = visitor
  await page.getByRole('button', { name: 'New run' }).click()
  const start = page.getByRole('button', { name: 'Start the run' })
  await page.getByText('Choose a model.').waitFor()
  await page.getByRole('combobox', { name: 'Model', exact: true }).click()
  await page.getByRole('option', { name: 'sim/small' }).click()
  await page.getByRole('combobox', { name: 'Dataset' }).click()
  await page.getByRole('option').first().click()
  await page.getByRole('combobox', { name: 'Judge', exact: true }).click()
  await page.getByRole('option', { name: 'Sound' }).first().click()
  await page.getByLabel('Hold-out model').fill('other/judge')
  await page.getByText('Say how much the run may cost.').waitFor()
  expect(await start.isDisabled()).toBe(true)
  await page.getByLabel('At most').fill('5')
  await page.getByText('Nobody but people can show that the reward is exploited.').waitFor()
  await page.getByLabel('Name').fill('polite')
  await start.click()
  await page.getByText('This judge passes answers that say nothing.').first().waitFor()
  expect(await page.getByRole('combobox', { name: 'Judge', exact: true }).getAttribute('aria-invalid')).toBe('true')
  expect(await visitor.accessibilityProblems()).toEqual([])
  answer = demoScript[`GET ${runs}/grpo_1`]
  await page.getByLabel('Name').fill('polite answers')
  await start.click()
  await page.waitForURL(/\/training\/runs\/grpo_1$/)
  const sent = server.calls.filter(({ call }) => call === `POST ${runs}`).map(({ body }) => JSON.parse(body))
  expect(sent.at(-1)).toMatchObject({
    name: 'polite answers',
    baseModel: 'sim/small',
    holdout: { judgeModel: 'other/judge' },
    hyperparameters: { maxSteps: 200, promptsPerStep: 16, groupSize: 8 },
    maxCostUsd: 5,
  })
}, 180_000)

it('says what to do without runs, and who may read them', async () => {
  const none = {
    runs: [],
    candidates_waiting: 0,
    active: 0,
    queued: 0,
    total: 0,
    limit: 100,
    offset: 0,
    has_more: false,
  }
  const first = await open('/w/demo/training/runs', { ...demoScript, [`GET ${runs}`]: none })
  await first.visitor.page.getByRole('heading', { name: 'No runs yet' }).waitFor()
  const member = {
    ...(demoScript['GET /api/me'] as object),
    workspaces: [{ slug: 'demo', name: 'Demo', role: 'member', may_grade: false }],
  }
  const { page } = (await open('/w/demo/training/runs/grpo_1', { ...demoScript, 'GET /api/me': member })).visitor
  await page.getByText('Only owners and admins can do this.').waitFor()
}, 180_000)
