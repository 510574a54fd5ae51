import { demoScript } from './browser/demo-script.ts'
import { scriptedPages } from './browser/scripted-pages.ts'
import { refusal, type Script } from './browser/scripted-server.ts'

/* Voice agents and their calls in a browser, with scripted replies instead of a fleet. */

const pages = scriptedPages()
const open = async (path: string, script: Script) => (await pages.open(path, { script })).visitor

beforeAll(() => pages.start(['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream']), 300_000)
afterEach(() => pages.close())
afterAll(() => pages.stop())

const voice = '/api/w/demo/session/voice'

it('says why a call cannot begin, and what to do', async () => {
  const script = {
    ...demoScript,
    [`POST ${voice}/calls/create`]: refusal(402, 'insufficient_balance', 'The credits do not cover the start.'),
  }
  const visitor = await open('/w/demo/voice/agents/agent_1', script)
  const { page } = visitor
  await page.getByRole('button', { name: 'Call with the microphone' }).click()
  await page.getByText('The credits do not cover the start.').waitFor()
  await page.getByText('An owner can add money').waitFor()
  await page.getByText('not connected').waitFor()
  expect(await visitor.accessibilityProblems()).toEqual([])
}, 120_000)

it('shows the cost of a call, what judges say, and the parts of each wait', async () => {
  const { page } = await open('/w/demo/voice/calls/call_1', demoScript)
  await page.getByText('The caller hung up.').waitFor()
  await page.getByText('$0.0048').waitFor()
  await page.getByText('under-measured').waitFor()
  await page.getByText('The log has nothing of it. Is logging on?').waitFor()
  await page.getByText('Agent, at 5.2 s, interrupted').waitFor()
  await page.getByRole('img', { name: /^2 answers: half within 720\sms, 95\s% within 910\sms/ }).waitFor()
  const row = page.getByRole('table', { name: 'Waits' }).getByRole('row').nth(2)
  const cells = await row.getByRole('cell').allTextContents()
  expect(cells.map((text) => text.replace(/\s/g, ' '))).toEqual([
    'Answer 2',
    '910 ms',
    '410 ms',
    '—',
    '300 ms',
    '90 ms',
  ])
}, 120_000)

it('lists nothing in a new workspace, and says how agents are made', async () => {
  const none = { object: 'list', data: [], total: 0, limit: 100, offset: 0, has_more: false }
  const { page } = await open('/w/demo/voice', { ...demoScript, [`GET ${voice}/agents`]: none })
  await page.getByRole('heading', { name: 'No agents yet' }).waitFor()
  await page.getByText('VOICE_BASE_URL').waitFor()
}, 120_000)
