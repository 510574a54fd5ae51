import { demoScript } from './browser/demo-script.ts'
import { scriptedPages } from './browser/scripted-pages.ts'

/* What people do on the pages of model versions in a browser, with scripted replies instead of a fleet. */

const pages = scriptedPages()
beforeAll(() => pages.start(), 300_000)
afterEach(() => pages.close())
afterAll(() => pages.stop())

it('stops serving a version in the pool, says what happens to its requests, and asks before it does', async () => {
  const serve = 'POST /api/w/demo/v1/model_versions/mv_1/serve'
  const unserve = 'DELETE /api/w/demo/v1/model_versions/mv_1/serve'
  const read = 'GET /api/w/demo/v1/model_versions/mv_1'
  const shown = demoScript[read] as { readonly serving: object }
  const none = { ...shown, serving: { pool: 'none', pool_error: null, provider: null, dedicated: [] } }
  const script = { ...demoScript, [serve]: { status: 202, body: shown }, [unserve]: { status: 202, body: none } }
  const { visitor, server } = await pages.open('/w/demo/training/versions/mv_1', { script })
  const { page } = visitor
  await page.getByText('are answered by the pool').waitFor()
  await page.getByRole('button', { name: 'Stop serving' }).click()
  await page.getByText('Later ones are answered with 404.').waitFor()
  expect(await visitor.accessibilityProblems()).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Stop serving it' }).click()
  await page.getByText('The pool does not serve the version any more.').waitFor()
  expect(server.calls.filter(({ call }) => call === unserve)).toHaveLength(1)
}, 180_000)

const adopt = 'POST /api/w/demo/v1/model_versions/mv_1/adopt'

it('shows the lineage as a picture and in words, and says what an adoption lacks', async () => {
  const missing = [
    { requirement: 'audit', detail: 'Nobody has graded any.' },
    { requirement: 'force', detail: 'An owner may force it.' },
  ]
  const error = {
    message: 'It needs evidence.',
    type: 'invalid_request_error',
    code: 'precondition_failed',
    param: null,
  }
  const refused = { status: 412, body: { error: { ...error, details: { all_of: true, missing }, request_id: 'r1' } } }
  const script = { ...demoScript, [adopt]: refused }
  const { visitor, server } = await pages.open('/w/demo/training/versions/mv_1', { script })
  const { page } = visitor
  await page.getByRole('img', { name: /^Lineage of the version: 1 version/ }).waitFor()
  await page.getByRole('button', { name: 'Show the numbers' }).click()
  await page.getByRole('cell', { name: 'tag support' }).waitFor()
  await page.getByRole('button', { name: 'Adopt' }).click()
  await page.getByRole('combobox', { name: 'Alias' }).fill('brand-new')
  await page.getByText('A new alias: it sends all its requests to the version.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Adopt' }).click()
  await page.getByText('Nobody has graded any.').waitFor()
  expect(await visitor.accessibilityProblems()).toEqual([])
  await page.getByLabel('Adopt it without this evidence').check()
  await page.getByLabel('Reason').fill('An incident.')
  const answered = page.waitForResponse('**/adopt')
  await page.getByRole('dialog').getByRole('button', { name: 'Adopt' }).click()
  await answered
  await page.getByText('Nobody has graded any.').waitFor()
  const sent = server.calls.filter(({ call }) => call === adopt).map(({ body }) => JSON.parse(body))
  expect(sent).toEqual([{ aliasName: 'brand-new' }, { aliasName: 'brand-new', reason: 'An incident.', force: true }])
}, 180_000)
