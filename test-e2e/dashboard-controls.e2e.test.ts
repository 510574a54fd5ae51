import { adminScript } from './browser/admin-script.ts'
import { narrowViews, sidewaysPixels, tabThroughPage } from './browser/by-keyboard.ts'
import { demoScript } from './browser/demo-script.ts'
import type { VisitOptions } from './browser/open-browser.ts'
import { scriptedPages } from './browser/scripted-pages.ts'
import { refusal, type Script } from './browser/scripted-server.ts'

/* Controls of the dashboard in a browser: what is typed, what Tab reaches, and what is loaded late. Replies are scripted. */

const pages = scriptedPages()
const open = (path: string, options?: VisitOptions, script: Script = demoScript) =>
  pages.open(path, { ...options, script })

beforeAll(() => pages.start(), 300_000)
afterEach(() => pages.close())
afterAll(() => pages.stop())

/** Pages whose controls are walked through one by one. */
const walkedPages = [
  '/w/demo',
  '/w/demo/judges',
  '/w/demo/review',
  '/w/demo/evals',
  '/w/demo/datasets',
  '/w/demo/training/jobs',
  '/w/demo/training/jobs/new',
  '/w/demo/training/jobs/ftjob-1',
  '/w/demo/training/runs',
  '/w/demo/training/runs/new',
  '/w/demo/training/runs/grpo_1',
  '/w/demo/training/runs/grpo_1/rollouts',
  '/w/demo/training/runs/grpo_1/audit',
  '/w/demo/training/raft',
  '/w/demo/training/raft/new',
  '/w/demo/training/raft/raft_1',
  '/w/demo/training/raft/raft_1/audit',
  '/w/demo/training/tools',
  '/w/demo/training/tools/tool_1',
  '/w/demo/training/endpoints',
  '/w/demo/training/endpoints/new',
  '/w/demo/training/endpoints/dep_1',
  '/w/demo/traces/run-1',
  '/w/demo/settings/general',
  '/w/demo/settings/members',
  '/w/demo/settings/erasure',
  '/w/demo/billing/usage',
  '/w/demo/billing/budgets',
]

it('creates a workspace for somebody else, says what is wrong at its field, and shows the link once', async () => {
  const made = { object: 'workspace', slug: 'new', name: 'New', owner_link: { mailed: false, link: '/reset/once' } }
  const taken = refusal(409, 'conflict', 'This address exists already.')
  const create = (body: unknown) => ((body as { readonly slug: string }).slug === 'demo' ? taken : made)
  const script = { ...adminScript, 'POST /api/workspaces': create }
  const { visitor: opened, server: scripted } = await open('/admin', { colorScheme: 'dark' }, script)
  const { page } = opened
  await page.getByRole('button', { name: 'Create a workspace' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('New')
  await dialog.getByLabel('Address').fill('No spaces')
  await dialog.getByLabel('E-mail of the owner').fill('ann@new.example')
  await dialog.getByRole('button', { name: 'Create' }).click()
  expect(await dialog.getByLabel('Address').getAttribute('aria-invalid')).toBe('true')
  await dialog.getByLabel('Address').fill('demo')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('This address exists already.').waitFor()
  await dialog.getByLabel('Address').fill('new')
  expect(await opened.accessibilityProblems()).toEqual([])
  await dialog.getByRole('button', { name: 'Create' }).click()
  expect(await dialog.getByLabel('Link for a password').textContent()).toContain('/reset/once')
  const sent = scripted.calls.findLast(({ call }) => call === 'POST /api/workspaces')
  expect(JSON.parse(sent?.body ?? '')).toEqual({ slug: 'new', name: 'New', owner_email: 'ann@new.example' })
}, 180_000)

it('asks for little before the first page is painted, and for who is signed in once', async () => {
  const { visitor: opened, server: scripted } = await open('/w/demo')
  const { page } = opened
  await page.locator('main:not(:has([aria-busy="true"])) h1').first().waitFor()
  const files = (await page.evaluate(`{
    const [{ startTime: paintedAt }] = performance.getEntriesByName('first-contentful-paint')
    performance.getEntriesByType('resource')
      .filter(({ startTime }) => startTime < paintedAt)
      .map(({ name }) => new URL(name).pathname)
      .filter((name) => name.startsWith('/assets/'))
  }`)) as string[]
  expect(files.length).toBeGreaterThan(5)
  expect(files.length).toBeLessThan(20)
  expect(scripted.calls.filter(({ call }) => call === 'GET /api/me')).toHaveLength(1)
  expect(opened.complaints).toEqual([])
}, 180_000)

it.each(narrowViews)(
  'every control of every page is reached by Tab and visible then, at %s',
  async (_name, viewport) => {
    const { visitor: opened } = await open('/w/demo', { viewport })
    const { page } = opened
    for (const path of walkedPages) {
      await page.goto(path)
      await page.locator('main:not(:has([aria-busy="true"])) h1').first().waitFor()
      expect([path, await sidewaysPixels(page)]).toEqual([path, 0])
      const names = await tabThroughPage(page)
      expect(names[0]).toBe('Skip to the page')
      expect(names.length).toBeGreaterThan(6)
    }
    expect(opened.complaints).toEqual([])
  },
  240_000,
)

it('opens menus whose scripts come late, by keys, and gives the focus back', async () => {
  const { page } = (await open('/w/demo')).visitor
  const button = page.getByRole('button', { name: /^Account of/ })
  await button.focus()
  expect(await button.getAttribute('aria-haspopup')).toBe('menu')
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Account and keys' }).waitFor()
  await page.keyboard.press('ArrowDown')
  expect(await page.evaluate("document.activeElement.getAttribute('role')")).toBe('menuitem')
  await page.keyboard.press('Escape')
  await page.getByRole('menuitem', { name: 'Account and keys' }).waitFor({ state: 'detached' })
  expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toMatch(/^Account of/)
  await page.keyboard.press('Enter')
  await page.keyboard.press('ArrowDown')
  await page.getByRole('menuitem', { name: 'Account and keys' }).click()
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
}, 180_000)

const noMoney = refusal(402, 'insufficient_balance', 'The wallet does not cover this request.')

it('says that the wallet does not cover an answer of the playground, and keeps what was typed', async () => {
  const script = { ...demoScript, 'POST /api/w/demo/v1/chat/completions': noMoney }
  const { visitor: opened } = await open('/w/demo/playground?models=sim/large', {}, script)
  const { page } = opened
  const column = page.getByRole('region', { name: 'Answer 1' })
  await page.getByLabel('System prompt').fill('You are brief.')
  await page.getByLabel('User', { exact: true }).fill('Where is my order?')
  await page.getByRole('button', { name: /^Run/ }).click()
  await column.getByText('The wallet does not cover this request.').waitFor()
  await column.getByText(/ is available\./).waitFor()
  await column.getByRole('link', { name: 'Billing' }).waitFor()
  expect(await page.getByLabel('System prompt').inputValue()).toBe('You are brief.')
  expect(await page.getByLabel('User', { exact: true }).inputValue()).toBe('Where is my order?')
  expect(await opened.accessibilityProblems()).toEqual([])
}, 180_000)

it('says that the wallet does not cover an eval, keeps what was typed, and starts it once there is money', async () => {
  let isPaid = false
  const made = demoScript['GET /api/w/demo/v1/evals/eval_1']
  const script = { ...demoScript, 'POST /api/w/demo/v1/evals': () => (isPaid ? made : noMoney) }
  const filled = 'tag=support&baseline=sim/large&candidate=sim/small&criterion_id=crit_1'
  const { visitor: opened, server } = await open(`/w/demo/evals/new?${filled}`, {}, script)
  const { page } = opened
  const start = page.getByRole('button', { name: 'Start the eval' })
  await page.getByLabel('Name').fill('Smaller model')
  await start.click()
  await page.getByText('The wallet does not cover this request.').waitFor()
  await page.getByText(/ is available\./).waitFor()
  expect(await page.getByLabel('Name').inputValue()).toBe('Smaller model')
  // What the bar of the page covers half is too small to be pressed.
  await page.evaluate('scrollTo(0, 0)')
  expect(await opened.accessibilityProblems()).toEqual([])
  isPaid = true
  await start.click()
  await page.waitForURL(/\/evals\/eval_/)
  const bodies = server.calls.filter(({ call }) => call === 'POST /api/w/demo/v1/evals').map(({ body }) => body)
  expect(bodies).toHaveLength(2)
  expect(bodies[1]).toBe(bodies[0])
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ name: 'Smaller model', criterion_id: 'crit_1' })
}, 180_000)

it('copies the last call of a run with its answer, as a line that a dataset takes', async () => {
  const messages = [{ role: 'user', content: 'Where is my order?' }]
  const response = { role: 'assistant', content: 'In the post.' }
  const script = { ...demoScript, 'GET /api/w/demo/v1/logs/log_2': { messages, response, tools: null } }
  const { visitor: opened } = await open('/w/demo/traces/run-1', {}, script)
  await opened.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await opened.page.getByRole('button', { name: 'Copy as eval sample' }).click()
  await opened.page.getByText(/^Copied as a line/).waitFor()
  const copied = await opened.page.evaluate('navigator.clipboard.readText()')
  expect(JSON.parse(String(copied))).toEqual({ messages: [...messages, response] })
  expect(await opened.accessibilityProblems()).toEqual([])
}, 180_000)

it('holds 5,000 rows of a list, stays where a person reads, and reads again what it has forgotten', async () => {
  const entry = (n: number) => ({
    ...(demoScript['GET /api/w/demo/v1/traces/run-1'] as { readonly data: readonly object[] }).data[0],
    id: `log_${n}`,
  })
  const { page } = (await open('/w/demo')).visitor
  const begins: number[] = []
  await page.route('**/v1/logs?*', (route) => {
    const query = new URL(route.request().url()).searchParams
    const first = query.get('after') === null ? 0 : Number(query.get('after')?.slice('log_'.length)) + 1
    const data = Array.from({ length: Number(query.get('limit')) }, (_, index) => entry(first + index))
    if (data.length > 1) begins.push(first)
    return route.fulfill({ json: { object: 'list', data, total: 10_000, total_is_exact: false, has_more: true } })
  })
  await page.goto('/w/demo/logs')
  const box = `document.querySelector('section[data-virtual="true"]')`
  const read = (rows: number) => page.locator(`table[aria-rowcount="${rows + 1}"]`).waitFor()
  for (let rows = 100; rows < 5_500; rows += 100) {
    await read(rows)
    await page.evaluate(`${box}.scrollTo(0, ${box}.scrollHeight)`)
  }
  await read(5_500)
  expect(await page.evaluate(`${box}.scrollHeight`)).toBeLessThan(5_100 * 37)
  // The row that ended the list before the last page came is still in sight.
  expect(await page.locator('#row-log_5399').boundingBox()).not.toBeNull()
  expect(begins.filter((first) => first === 400)).toHaveLength(1)
  for (const first of [400, 300]) {
    await page.evaluate(`${box}.scrollTo(0, 0)`)
    await page.locator(`#row-log_${first + 99}`).waitFor()
  }
  expect(begins.slice(-2)).toEqual([400, 300])
}, 180_000)

it('keeps every character that is typed quickly into filters, in a low window of a slow machine', async () => {
  const logs = { object: 'list', data: [], total: 0, total_is_exact: true, has_more: false, next_after: null }
  const values = { object: 'log_values', values: [] }
  const script = {
    ...demoScript,
    'GET /api/w/demo/v1/logs': logs,
    'GET /api/w/demo/session/logs/facets': values,
  }
  const low = { viewport: { width: 1280, height: 500 } }
  const { page, context } = (await open('/w/demo/logs', low, script)).visitor
  const field = (name: string) => page.getByRole('textbox', { name })
  const type = async (name: string, text: string) => {
    await field(name).focus()
    await page.keyboard.press('Control+a')
    await page.keyboard.type(text)
  }
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await field('User').waitFor()
  const session = await context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: 6 })
  await type('Metadata (name=value)', 'plan')
  await page.keyboard.press('Enter')
  await page.getByText('must be a name and a value').waitFor()
  await type('Metadata (name=value)', 'plan=pro')
  await page.keyboard.press('Enter')
  // What is typed on while the address changes stays, and is sent when the field is left.
  await page.keyboard.type('-2')
  await type('Cost at least (USD)', '1500')
  await type('User', 'ann')
  await page.keyboard.press('Enter')
  await page.getByLabel('From', { exact: true }).focus()
  await page.keyboard.type('01022026')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.type('0304AM')
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.searchParams.has('user') && url.searchParams.has('start'))
  const search = new URL(page.url()).searchParams
  expect([search.get('metadata'), search.get('min_cost_usd'), search.get('user')]).toEqual([
    'plan=pro-2',
    '1500',
    'ann',
  ])
  expect(await page.evaluate(`new Date('${search.get('start')}').getTime()`)).toBe(
    await page.evaluate(`new Date('2026-01-02T03:04').getTime()`),
  )
  expect(await field('Metadata (name=value)').inputValue()).toBe('plan=pro-2')
}, 300_000)
