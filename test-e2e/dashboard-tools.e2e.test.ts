import { demoScript } from './browser/demo-script.ts'
import type { VisitOptions } from './browser/open-browser.ts'
import { scriptedPages } from './browser/scripted-pages.ts'
import { refusal, type Script } from './browser/scripted-server.ts'

/* Environment tools in a browser, with scripted replies instead of a fleet. */

const pages = scriptedPages()
const open = (path: string, script: Script, options?: VisitOptions) => pages.open(path, { ...options, script })

beforeAll(() => pages.start(), 300_000)
afterEach(() => pages.close())
afterAll(() => pages.stop())

const tools = '/api/w/demo/v1/environment_tools'

it('shows the coverage of a recorded tool, and what a model would see of a call', async () => {
  let answer: unknown = refusal(429, 'abuse_guard', 'Too many calls.')
  const script = { ...demoScript, [`POST ${tools}/tool_1/test`]: () => answer }
  const { visitor, server } = await open('/w/demo/training/tools', script)
  const { page } = visitor
  await page.getByText('search_orders').click()
  await page.waitForURL(/\/training\/tools\/tool_1$/)
  await page.getByText(/^83\s%/).waitFor()
  const call = page.getByRole('button', { name: 'Call the tool' })
  await page.getByLabel('Arguments', { exact: true }).fill('{"order_id":')
  await page.getByText('This is not JSON.').waitFor()
  expect(await call.isDisabled()).toBe(true)
  await page.getByLabel('Arguments', { exact: true }).fill('{"order_id":"7"}')
  await call.click()
  await page.getByText('Too many calls.').waitFor()
  answer = demoScript[`POST ${tools}/tool_1/test`]
  await call.click()
  await page.getByText(/^Answered · 4\sms · from a recording$/).waitFor()
  await page.getByText('{"state":"delivered"}').waitFor()
  expect(await visitor.accessibilityProblems()).toEqual([])
  const sent = server.calls.filter(({ call: made }) => made.endsWith('/test')).map(({ body }) => JSON.parse(body))
  expect(sent).toEqual([{ arguments: { order_id: '7' } }, { arguments: { order_id: '7' } }])
}, 180_000)

it('names secret headers without their values, and says what to do without tools', async () => {
  const none = { object: 'list', data: [], total: 0, limit: 100, offset: 0, has_more: false }
  const { page } = (await open('/w/demo/training/tools/tool_2', { ...demoScript, [`GET ${tools}`]: none })).visitor
  await page.getByText('Authorization').waitFor()
  await page.getByText('not called yet').waitFor()
  await page.goto('/w/demo/training/tools')
  await page.getByRole('heading', { name: 'No tools yet' }).waitFor()
}, 180_000)
