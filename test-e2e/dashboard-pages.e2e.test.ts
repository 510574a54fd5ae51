import { eventually } from '@ratchet/testing/eventually'
import { adminScript } from './browser/admin-script.ts'
import { demoScript } from './browser/demo-script.ts'
import type { VisitOptions } from './browser/open-browser.ts'
import { scriptedPages } from './browser/scripted-pages.ts'
import { refusal, type Script } from './browser/scripted-server.ts'

/* The pages of the dashboard under the policy of production, with scripted replies instead of a fleet. */

const pages = scriptedPages()
const open = (path: string, options?: VisitOptions, script: Script = demoScript) =>
  pages.open(path, { ...options, script })

beforeAll(() => pages.start(), 300_000)
afterEach(() => pages.close())
afterAll(() => pages.stop())

const sideways = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

it.each(['light', 'dark'] as const)(
  'the gallery shows every part and picture without breaking a rule, in %s, and hostile text does nothing',
  async (colorScheme) => {
    const { visitor, server } = await pages.openGallery({ colorScheme })
    const { page } = visitor
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.goto('/')
    await page.getByText('or an invented source').first().waitFor()
    await page.getByLabel('Parameters').waitFor()
    expect(await visitor.accessibilityProblems()).toEqual([])
    expect(visitor.complaints).toEqual([])
    expect(await page.evaluate('window.hostile')).toBeUndefined()
    const origin = new URL(server.url).origin
    expect(requests.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([])
    expect(await page.locator('main a[href*="evil"], main img').count()).toBe(0)
  },
  120_000,
)

it('the gallery fits a phone', async () => {
  const { visitor } = await pages.openGallery({ viewport: { width: 320, height: 700 } })
  await visitor.page.goto('/')
  await visitor.page.getByLabel('Parameters').waitFor()
  expect(await visitor.page.evaluate(sideways)).toBe(0)
}, 180_000)

it.each([
  ['/w/demo', 'Home'],
  ['/w/demo/judges', 'Judges'],
  ['/w/demo/evals', 'Evals'],
  ['/w/demo/evals/new', 'New eval'],
  ['/w/demo/evals/eval_1', 'Which model for support'],
  ['/w/demo/evals/eval_1/samples/1', 'Samples'],
  ['/w/demo/datasets', 'Datasets'],
  ['/w/demo/datasets/new', 'New dataset'],
  ['/w/demo/datasets/upload', 'Upload a dataset'],
  ['/w/demo/datasets/distill', "A teacher's answers"],
  ['/w/demo/datasets/ds_1', 'support-november'],
  ['/w/demo/training/jobs', 'Training'],
  ['/w/demo/training/jobs/new', 'New job'],
  ['/w/demo/training/jobs/ftjob-1', 'support, from sim/small'],
  ['/w/demo/training/runs', 'GRPO'],
  ['/w/demo/training/runs/new', 'New run'],
  ['/w/demo/training/runs/grpo_1', 'Polite answers'],
  ['/w/demo/training/runs/grpo_1/rollouts', 'Answers'],
  ['/w/demo/training/runs/grpo_1/audit', 'Audit'],
  ['/w/demo/training/raft', 'RAFT'],
  ['/w/demo/training/raft/new', 'New round'],
  ['/w/demo/training/raft/raft_1', 'support, round 1'],
  ['/w/demo/training/raft/raft_1/audit', 'Audit'],
  ['/w/demo/training/tools', 'Environment tools'],
  ['/w/demo/training/tools/tool_1', 'search_orders'],
  ['/w/demo/training/versions', 'Model versions'],
  ['/w/demo/training/versions/mv_1', 'support, from sim/small'],
  ['/w/demo/training/endpoints', 'Dedicated endpoints'],
  ['/w/demo/training/endpoints/new', 'New endpoint'],
  ['/w/demo/training/endpoints/dep_1', 'Support'],
  ['/w/demo/voice', 'Voice agents'],
  ['/w/demo/voice/agents/new', 'New voice agent'],
  ['/w/demo/voice/agents/agent_1', 'Reception'],
  ['/w/demo/voice/agents/agent_1/change', 'Change Reception'],
  ['/w/demo/voice/calls', 'Calls'],
  ['/w/demo/voice/calls/call_1', 'Call'],
  ['/w/demo/settings/general', 'General'],
  ['/w/demo/settings/logging', 'Logging'],
  ['/w/demo/settings/keys', 'API keys'],
  ['/w/demo/settings/provider-keys', 'Provider keys'],
  ['/w/demo/settings/members', 'Members'],
  ['/w/demo/settings/webhooks', 'Webhooks'],
  ['/w/demo/settings/audit', 'Audit'],
  ['/w/demo/settings/erasure', 'Erasure'],
  ['/w/demo/logs/failures', 'Failures'],
  ['/w/demo/billing', 'Wallet'],
  ['/w/demo/billing/ledger', 'Ledger'],
  ['/w/demo/billing/usage', 'Usage'],
  ['/w/demo/billing/budgets', 'Budgets'],
  ['/w/demo/review', 'Review'],
  ['/w/demo/review/adjudicate', 'Adjudicate'],
  ['/w/demo/review/graders?criterion_id=crit_1', 'Graders'],
  ['/w/demo/traces/run-1', 'Trace'],
  ['/account', 'Account'],
  ['/sign-in', 'Sign in'],
] as const)(
  '%s breaks no rule in the dark, and fits a phone',
  async (path, title) => {
    const { page, ...opened } = (await open(path, { colorScheme: 'dark' })).visitor
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
    expect(await opened.accessibilityProblems()).toEqual([])
    await page.setViewportSize({ width: 320, height: 700 })
    expect(await page.evaluate(sideways)).toBe(0)
    expect(opened.complaints).toEqual([])
  },
  180_000,
)

it.each([
  ['/admin', 'Workspaces'],
  ['/admin/limits', 'Limits'],
  ['/admin/providers', 'Providers'],
  ['/admin/credits', 'Credits and corrections'],
])(
  '%s of operators breaks no rule in the dark, and fits a phone',
  async (path, title) => {
    const { page, ...opened } = (await open(path, { colorScheme: 'dark' }, adminScript)).visitor
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await page.getByRole('table').first().waitFor()
    expect(await opened.accessibilityProblems()).toEqual([])
    await page.setViewportSize({ width: 320, height: 700 })
    expect(await page.evaluate(sideways)).toBe(0)
    expect(opened.complaints).toEqual([])
  },
  180_000,
)

it('shows a provider without models by the form of its names, and takes a correction from an operator', async () => {
  const script = {
    ...adminScript,
    'POST /api/admin/workspaces/demo/corrections': {
      object: 'correction',
      corrected: true,
      balance_nano: '1000000000',
    },
  }
  const { visitor: opened, server: scripted } = await open('/admin/providers', {}, script)
  const { page } = opened
  await page.getByRole('cell', { name: 'local/<name>', exact: true }).waitFor()
  await page.goto('/admin')
  await page.getByRole('button', { name: 'Correct the wallet of Demo' }).click()
  const dialog = page.getByRole('dialog')
  await page.setViewportSize({ width: 320, height: 700 })
  const cutOff =
    "[...document.querySelectorAll('[role=radiogroup]')].filter((each) => each.scrollWidth > each.clientWidth).length"
  expect(await page.evaluate(cutOff)).toBe(0)
  await dialog.getByText('Take money').click()
  await dialog.getByLabel('Amount in US dollars').fill('5')
  await dialog.getByLabel('Reference').fill('ticket-9')
  await dialog.getByLabel('Reason').fill('credited twice')
  expect(await opened.accessibilityProblems()).toEqual([])
  await dialog.getByRole('button', { name: 'Correct', exact: true }).click()
  await page.getByText(/is corrected; its balance is/).waitFor()
  const sent = scripted.calls.find(({ call }) => call.endsWith('/corrections'))
  expect(JSON.parse(sent?.body ?? '')).toEqual({
    amount_nano: '-5000000000',
    reference: 'ticket-9',
    reason: 'credited twice',
  })
}, 180_000)

it('shows how often people agree with a cascade, against what it promises', async () => {
  const { page } = (await open('/w/demo/judges')).visitor
  const table = page.getByRole('table', { name: 'Cascades' })
  await table.waitFor()
  const picture = await table.getByRole('img').first().getAttribute('aria-label')
  expect(picture).toMatch(/0\.95.*0\.92.*0\.97.*0\.90/)
  const cells = await table.getByRole('row').nth(1).getByRole('cell').allTextContents()
  expect(cells.slice(3)).toEqual(['0.90', '97 %', '58 %', '300'])
}, 180_000)

it('goes to pages by keys only, and the keys are listed', async () => {
  const { page } = (await open('/w/demo')).visitor
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  // Parts of the page that are still loaded may take the keys over between the two.
  await eventually(
    async () => {
      await page.keyboard.press('g')
      await page.keyboard.press('s')
      await page.getByRole('heading', { name: 'General', level: 1 }).waitFor({ timeout: 3_000 })
    },
    { withinMs: 30_000 },
  )
  await page.keyboard.press('Shift+?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByPlaceholder('Page or action').waitFor()
  await page.keyboard.type('Home')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
}, 180_000)

it('asks for a fresh sign-in in the middle of an action, continues it, and sends one idempotency key', async () => {
  let isFresh = false
  const made = { id: '00000000-0000-7000-8000-0000000000aa', name: 'ci', key: 'sk_svc_once' }
  const script = {
    ...demoScript,
    'POST /api/auth/sign-in/email': () => {
      isFresh = true
      return { object: 'signed_in', redirect_to: null }
    },
    'POST /api/w/demo/keys': () => (isFresh ? made : refusal(403, 'fresh_sign_in_required', 'Sign in again.')),
  }
  const { visitor: opened, server: scripted } = await open('/w/demo/settings/keys', {}, script)
  const { page } = opened
  await page.getByRole('button', { name: 'Create a key' }).click()
  await page.getByLabel('Name').fill('ci')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('dialog', { name: 'Sign in again' }).getByLabel('Password').first().fill('a long password')
  await page.keyboard.press('Enter')
  await page.getByText('sk_svc_once').first().waitFor()
  const sent = scripted.calls.filter(({ call }) => call === 'POST /api/w/demo/keys')
  expect(sent).toHaveLength(2)
  expect(new Set(sent.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1)
  await page.getByRole('button', { name: 'I stored it' }).click()
  await page.getByText('sk_svc_once').first().waitFor({ state: 'detached' })
  expect(
    await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])'),
  ).not.toContain('sk_svc_once')
}, 180_000)

it('keeps what is typed into the settings when somebody else saves others, and sends only that', async () => {
  const settings = demoScript['GET /api/w/demo/settings'] as { readonly limits: object }
  const renamed = { ...settings, name: 'Renamed', limits: { ...settings.limits, tokens_per_minute: 7_000 } }
  let isSaved = false
  const script = {
    ...demoScript,
    'GET /api/w/demo/settings': () => (isSaved ? renamed : settings),
    'PATCH /api/w/demo/settings': renamed,
  }
  const { visitor: opened, server: scripted } = await open('/w/demo', {}, script)
  const { page } = opened
  await page.clock.install()
  await page.goto('/w/demo/settings/general')
  const field = page.getByLabel('Requests per minute')
  await field.fill('123')
  isSaved = true
  await page.clock.fastForward(31_000)
  await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))")
  const textIn = (label: string) => page.getByLabel(label).inputValue()
  await eventually(async () => (await textIn('Name of the workspace')) === 'Renamed')
  expect([await textIn('Requests per minute'), await textIn('Tokens per minute')]).toEqual(['123', '7,000'])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The settings are saved.').waitFor()
  const sent = scripted.calls.find(({ call }) => call === 'PATCH /api/w/demo/settings')
  expect(JSON.parse(sent?.body ?? '')).toEqual({ limits: { requests_per_minute: 123 } })
}, 180_000)

it('marks the page that is open in the rail, and no other', async () => {
  const { page } = (await open('/w/demo/logs/failures?days=7')).visitor
  const marked = page.locator('nav[aria-label="Pages"] a[data-status="active"]')
  await marked.first().waitFor()
  expect(await marked.allTextContents()).toEqual(['Failures'])
}, 180_000)

it('opens one stream for all tabs of a browser', async () => {
  const { visitor: opened, server: scripted } = await open('/w/demo')
  await opened.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  for (let tab = 0; tab < 7; tab += 1) {
    const other = await opened.context.newPage()
    await other.goto('/w/demo')
    await other.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
  }
  expect(scripted.calls.filter(({ call }) => call === 'GET /api/w/demo/live')).toHaveLength(1)
}, 300_000)

it('shows an error with its request, and controls without the right disabled with the reason', async () => {
  const member = {
    ...(demoScript['GET /api/me'] as object),
    workspaces: [{ slug: 'demo', name: 'Demo', role: 'member', may_grade: false }],
  }
  const broken = refusal(500, 'internal_error', 'The members cannot be read.')
  const script = { ...demoScript, 'GET /api/me': member, 'GET /api/w/demo/members': broken }
  const { page } = (await open('/w/demo/settings/members', {}, script)).visitor
  await page.getByRole('alert').getByText('The members cannot be read.').waitFor()
  await page.getByRole('button', { name: /req_scripted/ }).waitFor()
  expect(await page.getByRole('button', { name: 'Invite a person' }).isDisabled()).toBe(true)
  await page.getByText('Only owners can do this.').waitFor()
}, 180_000)

it('lets a third person decide by a key what two people disagree about, without names', async () => {
  let isDecided = false
  const item = {
    object: 'review.adjudication',
    id: 'adj_1',
    criterion_id: 'crit_1',
    messages: [{ role: 'user', content: 'How do I return a kettle?' }],
    response: { role: 'assistant', content: 'Send it back within 30 days.' },
    tools: null,
    grades: [
      { label: 'fail', rationale: 'The time is wrong.' },
      { label: 'pass', rationale: null },
    ],
  }
  const page = (data: readonly unknown[]) => ({ object: 'list', data, total: data.length, has_more: false })
  const script = {
    ...demoScript,
    'GET /api/w/demo/session/review/adjudications': () => page(isDecided ? [] : [item]),
    'POST /api/w/demo/session/review/adjudications/adj_1': () => {
      isDecided = true
      return { object: 'review.decision', id: 'adj_1', label: 'fail', settled: true }
    },
  }
  const { visitor: opened, server: scripted } = await open('/w/demo/review/adjudicate', {}, script)
  await opened.page.getByText('The time is wrong.').waitFor()
  expect(await opened.accessibilityProblems()).toEqual([])
  await opened.page.keyboard.press('f')
  await opened.page.getByRole('heading', { name: 'Nothing to decide' }).waitFor()
  expect(scripted.calls.filter(({ call }) => call.startsWith('POST'))).toHaveLength(1)
}, 180_000)

it('grades on a phone with buttons as wide as the page', async () => {
  const rounds = '/api/w/demo/session/review/rounds/round_1'
  const round = { id: 'round_1', criterion_id: 'crit_1', status: 'open', graded: 0, shown_ms: 0, strata: [] }
  const item = (id: string) => ({
    id,
    messages: [{ role: 'user', content: 'How do I return a kettle?' }],
    response: { role: 'assistant', content: `Answer ${id}. ${'Send it back within 30 days. '.repeat(12)}` },
    tools: null,
  })
  const claim = { object: 'review.claim', id: 'claim_1', batch: 1, leased_until: null, items: ['a', 'b'].map(item) }
  let claims = 0
  const script = {
    ...demoScript,
    [`GET ${rounds}`]: round,
    'GET /api/w/demo/v1/criteria/crit_1': { id: 'crit_1', name: 'Sound', judge_prompt: 'It contains a mistake.' },
    [`POST ${rounds}/claim`]: () => {
      claims += 1
      return claims === 1 ? claim : { ...claim, id: null, batch: null, items: [] }
    },
  }
  const { visitor: opened } = await open('/w/demo/review/round_1', { viewport: { width: 360, height: 740 } }, script)
  await opened.page.getByText('Answer a.').waitFor()
  const button = await opened.page.getByRole('button', { name: 'Pass' }).boundingBox()
  expect(button?.width).toBeGreaterThan(300)
  expect(await opened.accessibilityProblems()).toEqual([])
  for (const width of [360, 320]) {
    await opened.page.setViewportSize({ width, height: 640 })
    expect(await opened.page.evaluate(sideways)).toBe(0)
    for (const name of ['Fail', 'Pass', 'Not sure']) {
      const box = await opened.page.getByRole('button', { name, exact: true }).boundingBox()
      expect([name, (box?.height ?? 0) >= 24, (box?.x ?? 0) + (box?.width ?? width) <= width]).toEqual([
        name,
        true,
        true,
      ])
    }
  }
}, 180_000)

it('keeps both grades of a run side by side on a phone', async () => {
  const { page } = (await open('/w/demo/traces/run-1', { viewport: { width: 320, height: 740 } })).visitor
  const grades = page.getByRole('region', { name: 'Your grade' })
  const fail = await grades.getByRole('button', { name: /^Fail/ }).boundingBox()
  const pass = await grades.getByRole('button', { name: /^Pass/ }).boundingBox()
  expect([fail?.y, fail?.width]).toEqual([pass?.y, pass?.width])
}, 180_000)

it('shows what is chosen without its own colours, where a browser forces others', async () => {
  const { page, accessibilityProblems } = (await open('/w/demo/settings/keys')).visitor
  await page.emulateMedia({ forcedColors: 'active' })
  const styleOf = (selector: string, property: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${property}')`)
  const tabs = 'nav[aria-label="Settings"] a'
  await page.locator(`${tabs}[data-status="active"]`).waitFor()
  const line = 'border-bottom-color'
  expect(await styleOf(`${tabs}[data-status="active"]`, line)).not.toBe(
    await styleOf(`${tabs}:not([data-status="active"])`, line),
  )
  expect(await styleOf('nav[aria-label="Pages"] a[data-status="active"]', 'outline-style')).toBe('solid')
  expect(await accessibilityProblems()).toEqual([])
}, 180_000)

it('leads to the sign-in and back, and never to another site', async () => {
  const signedOut = { ...(demoScript['GET /api/me'] as object), user: null, session: null, workspaces: [] }
  const { page } = (await open('/w/demo/settings/keys', {}, { ...demoScript, 'GET /api/me': signedOut })).visitor
  await page.waitForURL(/\/sign-in\?next=/)
  expect(new URL(page.url()).searchParams.get('next')).toBe('/w/demo/settings/keys')
}, 180_000)
