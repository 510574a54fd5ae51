import { demoScript } from './browser/demo-script.ts'
import { scriptedPages } from './browser/scripted-pages.ts'

/* What people do on the pages of model versions in a browser, with scripted replies instead of a fleet. */

const pages = scriptedPages()
beforeAll(() => pages.start(), 300_000)
afterEach(() => pages.close())
afterAll(() => pages.stop())

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
