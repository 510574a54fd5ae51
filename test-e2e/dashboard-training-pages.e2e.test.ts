import { demoScript } from './browser/demo-script.ts'
import type { VisitOptions } from './browser/open-browser.ts'
import { scriptedPages } from './browser/scripted-pages.ts'
import { refusal, type Script } from './browser/scripted-server.ts'

/* What people do on the pages of fine-tuning jobs in a browser, with scripted replies instead of a fleet. */

const pages = scriptedPages()
const open = (path: string, script: Script, options?: VisitOptions) => pages.open(path, { ...options, script })

beforeAll(() => pages.start(), 300_000)
afterEach(() => pages.close())
afterAll(() => pages.stop())

const jobs = '/api/w/demo/v1/fine_tuning/jobs'
const job = demoScript[`GET ${jobs}/ftjob-1`] as object

/** An error that names a field of the body. */
function refusalAt(param: string, message: string) {
  const { status, body } = refusal(400, 'invalid_request', message)
  const { error } = body as { readonly error: object }
  return { status, body: { error: { ...error, param } } }
}

it('estimates a job, says what is wrong at its field, keeps what was typed, and starts it once there is money', async () => {
  let refused: unknown = refusal(402, 'insufficient_balance', 'The job needs a hold of $0.56.')
  const script = { ...demoScript, [`POST ${jobs}`]: () => refused ?? job }
  const { visitor, server } = await open('/w/demo/training/jobs/new?dataset_id=ds_1', script)
  const { page } = visitor
  const start = page.getByRole('button', { name: 'Start the job' })
  await page.getByText('Choose a model.', { exact: true }).waitFor()
  await page.getByRole('combobox', { name: 'Model' }).click()
  await page.getByRole('option', { name: 'sim/small' }).click()
  await page.getByText('41 examples are too long and are left out.').waitFor()
  await page.locator('summary').click()
  await page.getByLabel('Epochs').fill('99')
  expect(await page.getByLabel('Epochs').getAttribute('aria-invalid')).toBe('true')
  expect(await start.isDisabled()).toBe(true)
  await page.getByLabel('Epochs').fill('2')
  await page.getByLabel('Suffix').fill('support')
  await page.getByLabel('At most').fill('1.5')
  await start.click()
  await page.getByText('The job needs a hold of $0.56.').waitFor()
  await page.getByText(/ is available\./).waitFor()
  refused = refusalAt('suffix', 'This suffix is not allowed.')
  await start.click()
  await page.getByText('This suffix is not allowed.').waitFor()
  expect(await page.getByLabel('Suffix').getAttribute('aria-invalid')).toBe('true')
  expect([await page.getByLabel('Epochs').inputValue(), await page.getByLabel('At most').inputValue()]).toEqual([
    '2',
    '$1.5',
  ])
  expect(await visitor.accessibilityProblems()).toEqual([])
  refused = null
  await page.getByLabel('Suffix').fill('desk')
  await start.click()
  await page.waitForURL(/\/training\/jobs\/ftjob-1$/)
  const sent = server.calls.filter(({ call }) => call === `POST ${jobs}`).map(({ body }) => JSON.parse(body))
  expect(sent[1]).toEqual(sent[0])
  expect(sent[2]).toEqual({
    model: 'sim/small',
    datasetId: 'ds_1',
    method: { type: 'supervised', supervised: { hyperparameters: { nEpochs: 2, onTooLong: 'drop' } } },
    training: 'lora',
    suffix: 'desk',
    maxCostUsd: 1.5,
  })
}, 180_000)

it('says why an estimate is refused, at the data that it names', async () => {
  const script = { ...demoScript, [`POST ${jobs}/estimate`]: refusalAt('datasetId', 'Fewer than 10 examples.') }
  const { page } = (await open('/w/demo/training/jobs/new?dataset_id=ds_1&model=sim/small', script)).visitor
  await page.getByText('Fewer than 10 examples.').waitFor()
  expect(await page.getByRole('combobox', { name: 'Dataset' }).getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByRole('button', { name: 'Start the job' }).isDisabled()).toBe(true)
}, 180_000)

it('takes pairs of answers from a file', async () => {
  const { visitor, server } = await open('/w/demo/training/jobs/new?model=sim/small', demoScript)
  const { page } = visitor
  await page.getByRole('radio', { name: /DPO/ }).check()
  await page.getByRole('combobox', { name: 'File' }).click()
  await page.getByRole('option', { name: /pairs\.jsonl/ }).click()
  await page.getByText('Held at the start').waitFor()
  const sent = server.calls.findLast(({ call }) => call === `POST ${jobs}/estimate`)
  expect(JSON.parse(sent?.body ?? '')).toEqual({
    model: 'sim/small',
    trainingFile: 'file-1',
    method: { type: 'dpo', dpo: { hyperparameters: { onTooLong: 'drop' } } },
    training: 'lora',
  })
}, 180_000)

it('follows a job until it is paused, after a question', async () => {
  let present = job
  const script = {
    ...demoScript,
    [`GET ${jobs}/ftjob-1`]: () => present,
    [`POST ${jobs}/ftjob-1/pause`]: () => {
      present = { ...job, status: 'paused', phase: null, held_usd: 0, estimated_finish: null }
      return job
    },
  }
  const { visitor, server } = await open('/w/demo/training/jobs/ftjob-1', script)
  const { page } = visitor
  await page.getByRole('img', { name: /^Loss over 128 of 204 steps: training from .* validation/ }).waitFor()
  await page.getByRole('img', { name: /^\$0\.24 charged of an estimated \$0\.49/ }).waitFor()
  await page.getByRole('log').getByText('The training begins.').waitFor()
  expect(await page.getByRole('log').getByText('train_loss').count()).toBe(0)
  await page.getByLabel('With the figures of steps').check()
  await page.getByRole('log').getByText('train_loss').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Pause', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause the job' }).click()
  await page.getByText(/holds no money/).waitFor()
  await page.getByRole('button', { name: 'Resume', exact: true }).waitFor()
  expect(server.calls.filter(({ call }) => call.endsWith('/pause'))).toHaveLength(1)
  expect(await visitor.accessibilityProblems()).toEqual([])
}, 180_000)

it('shows controls without the right disabled with the reason, and an empty list with what to do', async () => {
  const member = {
    ...(demoScript['GET /api/me'] as object),
    workspaces: [{ slug: 'demo', name: 'Demo', role: 'member', may_grade: false }],
  }
  const none = { object: 'list', data: [], has_more: false }
  const script = { ...demoScript, 'GET /api/me': member, [`GET ${jobs}`]: none }
  const { page } = (await open('/w/demo/training/jobs/ftjob-1', script)).visitor
  await page.getByText('Only owners and admins can do this.').waitFor()
  for (const name of ['Pause', 'Cancel the job']) {
    expect(await page.getByRole('button', { name, exact: true }).isDisabled()).toBe(true)
  }
  await page.goto('/w/demo/training/jobs')
  await page.getByRole('heading', { name: 'No jobs yet' }).waitFor()
  expect(await page.getByRole('button', { name: 'New job' }).isDisabled()).toBe(true)
}, 180_000)
