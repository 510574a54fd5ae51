import { demoScript } from './browser/demo-script.ts'
import { scriptedPages } from './browser/scripted-pages.ts'
import { refusal } from './browser/scripted-server.ts'

/* What people do on the pages of dedicated endpoints in a browser, with scripted replies instead of a fleet. */

const pages = scriptedPages()
beforeAll(() => pages.start(), 300_000)
afterEach(() => pages.close())
afterAll(() => pages.stop())

const endpoints = '/api/w/demo/v1/dedicated/endpoints'

it('shows state, replicas, cost and events, and that one failed with its cause', async () => {
  const { page, ...visitor } = (await pages.open('/w/demo/training/endpoints', { script: demoScript })).visitor
  await page.getByRole('cell', { name: 'failed' }).waitFor()
  await page.getByText('Support', { exact: true }).click()
  await page.waitForURL(/\/training\/endpoints\/dep_1$/)
  await page.getByText('0 to 3 replicas; none after 1 h without a request').waitFor()
  await page.getByRole('heading', { name: 'Replicas: 1 of 2 ready' }).waitFor()
  await page.getByText('$14.07').waitFor()
  await page.getByText('A request came while it was scaled to zero.').waitFor()
  await page.getByRole('img', { name: 'Ready replicas: between 0 and 2, now 1.' }).waitFor()
  await page.getByText('"model":"dedicated/support-k3m7q2"').waitFor()
  expect(await visitor.accessibilityProblems()).toEqual([])
  await page.goto('/w/demo/training/endpoints/dep_2')
  await page.getByText('Three replicas in a row failed to start.').waitFor()
  await page.getByText('Its engine exited with code 1.').waitFor()
  await page.getByText('Nothing runs, so nothing is charged.').waitFor()
  await page.getByRole('button', { name: 'Start', exact: true }).waitFor()
  expect(visitor.complaints).toEqual([])
}, 180_000)

it('changes, stops and deletes after a question, and says what an hour costs then', async () => {
  const { visitor, server } = await pages.open('/w/demo/training/endpoints/dep_1', { script: demoScript })
  const { page } = visitor
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('With all replicas the cap is reached after 50 minutes of an hour.').waitFor()
  await dialog.getByLabel('Replicas at least').fill('4')
  await dialog.getByText('There cannot be more replicas at least than at most.').waitFor()
  expect(await dialog.getByRole('button', { name: 'Change it' }).isDisabled()).toBe(true)
  await dialog.getByLabel('Replicas at least').fill('1')
  await dialog.getByLabel('Replicas at most').fill('2')
  await dialog.getByText('$1.20').first().waitFor()
  expect(await visitor.accessibilityProblems()).toEqual([])
  await dialog.getByRole('button', { name: 'Change it' }).click()
  await page.getByText('The endpoint is changed.').waitFor()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await dialog.getByRole('button', { name: 'Stop it' }).click()
  await page.getByText('The endpoint stops.').waitFor()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await dialog.getByText('Its name is never given to another endpoint.').waitFor()
  await dialog.getByRole('button', { name: 'Delete it' }).click()
  await page.waitForURL(/\/training\/endpoints$/)
  const sent = server.calls.filter(({ call }) => !call.startsWith('GET'))
  expect(sent.map(({ call }) => call)).toEqual([
    `PATCH ${endpoints}/dep_1`,
    `POST ${endpoints}/dep_1/stop`,
    `DELETE ${endpoints}/dep_1`,
  ])
  expect(JSON.parse(sent[0]?.body ?? '')).toEqual({
    minReplicas: 1,
    maxReplicas: 2,
    scaleToZeroAfterSeconds: 3_600,
    targetConcurrency: 8,
    maxHourlyCostUsd: 1.5,
  })
}, 180_000)

it('creates one of a version, whose hardware it offers with prices, and shows a refusal at its field', async () => {
  const refused = {
    ...refusal(400, 'invalid_request', 'The model does not run on this `hardware`.'),
  }
  const { body } = refused as { body: { error: object } }
  const atField = { status: 400, body: { error: { ...body.error, param: 'hardware' } } }
  const script = { ...demoScript, [`POST ${endpoints}`]: atField }
  const { visitor, server } = await pages.open('/w/demo/training/versions/mv_1', { script })
  const { page } = visitor
  await page.getByRole('link', { name: 'Serve it on an endpoint of its own' }).click()
  await page.getByRole('combobox', { name: 'Hardware' }).click()
  const none = page.getByRole('option', { name: /h100-1x .*none at present/ })
  expect(await none.getAttribute('data-combobox-disabled')).toBe('true')
  await page.getByRole('option', { name: /sim-1x · \$0\.60 an hour/ }).click()
  await page.getByText('Give it a name.').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('Support')
  await page.getByText('nothing, once scaled to zero').waitFor()
  await page.getByRole('button', { name: 'Create the endpoint' }).click()
  await page.getByRole('alert').getByText('The model does not run on this').waitFor()
  expect(await page.getByRole('combobox', { name: 'Hardware' }).getAttribute('aria-invalid')).toBe('true')
  expect(await visitor.accessibilityProblems()).toEqual([])
  const sent = server.calls.filter(({ call }) => call === `POST ${endpoints}`)
  expect(sent.map(({ body: text }) => JSON.parse(text))).toEqual([
    {
      name: 'Support',
      modelVersionId: 'mv_1',
      hardware: 'sim-1x',
      minReplicas: 0,
      maxReplicas: 1,
      scaleToZeroAfterSeconds: 3_600,
      targetConcurrency: 8,
      maxHourlyCostUsd: null,
    },
  ])
  expect(sent[0]?.idempotencyKey).toEqual(expect.any(String))
}, 180_000)
