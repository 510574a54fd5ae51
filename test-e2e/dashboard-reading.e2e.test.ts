import { randomBytes } from 'node:crypto'
import { eventually } from '@ratchet/testing/eventually'
import type { Browser, Locator, Page } from 'playwright-core'
import { checkBudget } from './browser/budgets.ts'
import { meterFrames } from './browser/frame-meter.ts'
import { openBrowser, type Visitor } from './browser/open-browser.ts'
import { visitSignedIn } from './browser/signed-in.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, createJudge, type Json } from './judged-traffic.ts'
import { sendLongRun } from './long-run.ts'

/* People read the log in a real browser against a real fleet: playground, logs, traces, segments. */

let fleet: Fleet
let browser: Browser
let visitor: Visitor
let page: Page
let api: Api
const pointers: string[] = []

beforeAll(async () => {
  ;[fleet, browser] = await Promise.all([startFleet({ dashboard: true, judges: true, aliases: true }), openBrowser()])
  api = apiOf(fleet, fleet.workspace)
  visitor = await visitSignedIn(fleet, browser)
  page = visitor.page
  await visitor.context.exposeBinding('notePointer', (_source, what: string) => void pointers.push(what))
  await visitor.context.addInitScript(`addEventListener('pointerdown', () => notePointer(location.pathname), true)`)
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await fleet?.stop()
}, 180_000)

const base = () => `/w/${fleet.workspace.slug}`
const heading = (name: string) => page.getByRole('heading', { name, level: 1 })
const rows = () => page.getByRole('table', { name: 'Log entries' }).locator('tbody tr')
const panel = () => page.getByRole('dialog', { name: 'Log entry' })

async function press(...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** Puts the focus on a control, as Tab would. */
async function focusOn(control: Locator, text?: string): Promise<void> {
  await control.focus()
  if (text !== undefined) await press('Control+a')
  if (text !== undefined) await page.keyboard.type(text)
}

/** Leaves a field, so that keys of a letter work again. */
const leaveField = () => page.evaluate('document.activeElement.blur()')

/** Refused calls, which the browser logs too, belong to what these tests check. */
const complaints = () => visitor.complaints.filter((text) => !text.includes('Failed to load resource'))

async function expectAccessible(): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await visitor.accessibilityProblems()).toEqual([])
  }
  await page.emulateMedia({ colorScheme: 'light' })
  expect(complaints()).toEqual([])
}

/** Grades the open entry truthfully: an answer is wrong exactly when it contains `(flawed)`. */
async function gradeOpenEntry(): Promise<'pass' | 'fail'> {
  const answer = await panel().locator('[data-role="assistant"]').last().textContent()
  const label = answer?.includes('(flawed)') ? 'fail' : 'pass'
  await press(label === 'fail' ? 'f' : 'p')
  await panel().getByText(`You graded it: ${label}`).waitFor()
  return label
}

it('logging on, three calls from the playground, and their grades, by keys only', async () => {
  await page.goto(`${base()}/logs`)
  await focusOn(page.getByRole('link', { name: 'Turn logging on' }))
  await press('Enter')
  await heading('Logging').waitFor()
  await focusOn(page.getByRole('button', { name: 'Turn logging on' }))
  await press('Enter')
  await page.getByText('Logging is on.', { exact: true }).waitFor()
  await leaveField()

  await press('g', 'p')
  await heading('Playground').waitFor()
  await focusOn(page.getByRole('combobox', { name: 'Model 1' }), 'sim/echo')
  await page.getByRole('option', { name: 'sim/echo' }).waitFor()
  await press('ArrowDown', 'Enter')
  const answer = page.getByRole('region', { name: 'Answer 1' })
  for (const text of ['Tea is a (flawed) metal.', 'Tea is a drink.', 'Salt dissolves in water.']) {
    await focusOn(page.getByRole('textbox', { name: 'User' }), text)
    await press('Control+Enter')
    await answer.getByText(text).waitFor()
    await answer.getByText('done').waitFor()
    await answer.getByText('served by sim/echo').waitFor()
    await answer.getByText(/tokens/).waitFor()
  }
  await expectAccessible()

  await leaveField()
  await eventually(async () => (await api('GET', '/logs?tag=playground&content=none')).json.data.length === 3, {
    withinMs: 45_000,
  })
  const home = await visitor.context.newPage()
  await home.goto(base())
  await home.getByRole('img', { name: /Traffic 3 logged, then Grades (none|0)/ }).waitFor()
  await page.bringToFront()
  await press('g', 'l')
  await heading('Logs').waitFor()
  await rows().nth(2).waitFor()
  const given: string[] = []
  await press('j', 'Enter')
  for (const last of [false, false, true]) {
    given.push(await gradeOpenEntry())
    const open = page.url()
    if (!last) await press('j')
    if (!last) await page.waitForURL((url) => url.toString() !== open)
    if (!last) await panel().getByText('You graded it').waitFor({ state: 'detached' })
  }
  expect(given).toEqual(['pass', 'pass', 'fail'])
  expect((await api('GET', '/labels')).json.data.map(labelFacts).toSorted()).toEqual(
    ['fail picked blind (flawed)', 'pass picked blind sound', 'pass picked blind sound'].toSorted(),
  )
  expect(pointers).toEqual([])
  const status = (await api('GET', '/setup/status')).json
  expect([status.logging.enabled, status.traffic.logged_conversations, status.grades.total]).toEqual([true, 3, 3])
  // The page of another tab has moved on by itself.
  await home.getByRole('img', { name: /Traffic 3 logged, then Grades 3,/ }).waitFor()
  await home.close()
  await expectAccessible()
}, 300_000)

function labelFacts({ label, sampling, blind, snapshot }: Json): string {
  const truth = snapshot.response.content.includes('(flawed)') ? '(flawed)' : 'sound'
  return `${label} ${sampling.method} ${blind ? 'blind' : 'not blind'} ${truth}`
}

it('finds entries by user, session and metadata, by keys only, and keeps that in the address', async () => {
  const noted = (user: string, plan: string) => ({
    ...hostileLog('noted', `Hello ${user}.`),
    model: 'acme/noted',
    user,
    conversation_id: `session-${user}`,
    metadata: { plan },
  })
  expect((await api('POST', '/logs/import', { logs: [noted('ann', 'pro'), noted('bob', 'pro')] })).json).toMatchObject({
    imported: 2,
  })
  pointers.length = 0
  await page.goto(`${base()}/logs?model=acme/noted`)
  await rows().nth(1).waitFor()
  const [newest] = await rows().allTextContents()
  expect((await api('POST', '/logs/import', { logs: [noted('cid', 'free')] })).json).toMatchObject({ imported: 1 })
  // No row moves by itself.
  const newer = page.getByRole('button', { name: '1 new', exact: true })
  await newer.waitFor()
  expect(await rows().allTextContents()).toEqual([newest, expect.anything()])
  await focusOn(newer)
  await press('Enter')
  await rows().nth(2).waitFor()
  await newer.waitFor({ state: 'detached' })
  const field = (name: string) => page.getByRole('textbox', { name })
  const search = () => new URL(page.url()).searchParams
  await focusOn(page.getByRole('button', { name: 'Filter', exact: true }))
  await press('Enter')
  await field('Metadata (name=value)').waitFor()
  await focusOn(field('Metadata (name=value)'), 'plan')
  await press('Enter')
  await page.getByText('must be a name and a value').waitFor()
  expect(search().get('metadata')).toBeNull()
  await focusOn(field('Metadata (name=value)'), 'plan=pro')
  await press('Enter')
  await focusOn(field('User'), 'ann')
  await press('Enter')
  await page.waitForURL((url) => url.searchParams.get('user') === 'ann')
  expect(search().get('metadata')).toBe('plan=pro')
  await rows().nth(1).waitFor({ state: 'detached' })
  await press('Escape')
  await page.reload()
  await rows().first().waitFor()
  expect(await rows().count()).toBe(1)
  await focusOn(page.getByRole('button', { name: 'Remove the filter User' }))
  await press('Enter')
  await rows().nth(1).waitFor()
  await leaveField()
  await press('j', 'Enter')
  await focusOn(panel().getByRole('button', { name: /^session-/ }))
  await press('Enter')
  await page.waitForURL((url) => url.searchParams.get('conversation_id')?.startsWith('session-') === true)
  await rows().nth(1).waitFor({ state: 'detached' })
  await expectAccessible()
  expect(pointers).toEqual([])
}, 180_000)

it('stops one answer and goes on with the others, shows errors where they belong, and what differs', async () => {
  await page.goto(`${base()}/playground?models=sim/pace-50,sim/fail-500,sim/echo,sim/small&diff=1&log=off`)
  await page.getByRole('textbox', { name: 'User' }).fill('Tea is a drink.')
  await press('Control+Enter')
  const answer = (place: number) => page.getByRole('region', { name: `Answer ${place}` })
  await answer(2).getByRole('alert').waitFor()
  await answer(4).getByText('done').waitFor()
  await answer(1)
    .getByText(/first token/)
    .waitFor()
  await answer(1).getByRole('button', { name: 'Stop this answer' }).click()
  await answer(1).getByText('stopped').waitFor()
  await answer(3).locator('ins').first().waitFor()
  await page.getByRole('button', { name: 'Code' }).click()
  await page.getByText(/X-Svc-Log: off/).waitFor()
  expect(await page.getByLabel('The request in curl').textContent()).toContain('/v1/chat/completions')
  await press('Escape')
  expect(complaints()).toEqual([])
}, 180_000)

it('a hostile answer runs nothing, loads nothing, and does not slow the page', async () => {
  const origin = fleet.url.replace('127.0.0.1', 'localhost')
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  const hostile =
    '<img src=x onerror="window.hostile=1"> <script>window.hostile=2</script> ![a](http://evil.example/?q=1) [b](javascript:window.hostile=3) \u202eabc'
  const long = 'x'.repeat(400_000)
  const logs = [
    hostileLog('hostile', `${hostile}\n\n# Heading`),
    hostileLog('redacted', `My key is sk-proj-${randomBytes(24).toString('hex')}, and ${hostile}`),
    hostileLog('long', long),
  ]
  expect((await api('POST', '/logs/import', { logs })).json).toMatchObject({ imported: 3 })
  await page.goto(`${base()}/logs?model=acme/hostile`)
  await rows().nth(2).waitFor()
  await press('j', 'Enter')
  await panel().getByRole('heading', { name: 'Heading' }).waitFor()
  expect(await panel().locator('img, script, a[href*="evil"], a[href^="javascript"]').count()).toBe(0)
  await panel().getByText('[U+202E]').waitFor()
  await press('j')
  await panel()
    .locator('[title], span')
    .getByText(/^redacted/)
    .first()
    .waitFor()
  await press('j')
  await panel().getByRole('button', { name: 'Show all 400,000 characters' }).waitFor()
  const perKey = await cpuMsOf(['k', 'j', 'k', 'j'])
  checkBudget({ name: 'A key beside a long answer, CPU', unit: 'ms', must: 200, measured: perKey }, { busyFactor: 1 })
  await panel().getByRole('tab', { name: 'Raw JSON' }).click()
  await panel().getByLabel('The entry as JSON').waitFor()
  expect(await page.evaluate('window.hostile')).toBeUndefined()
  expect(requests.filter((url) => !url.startsWith(origin) && !url.startsWith('data:'))).toEqual([])
  expect(complaints()).toEqual([])
  await press('Escape')
  await panel().waitFor({ state: 'detached' })
  await page.goto(`${base()}/logs?q=nothing-has-this-word`)
  await page.getByRole('heading', { name: 'No entry matches' }).waitFor()
}, 300_000)

/** Milliseconds of processor time of the page for each of these keys. */
async function cpuMsOf(keys: readonly string[]): Promise<number> {
  const { cpuMsPerFrame, frames } = await meterFrames(page, async () => {
    for (const key of keys) {
      await press(key)
      await panel().locator('[data-role="assistant"]').last().waitFor()
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
    }
  })
  return (cpuMsPerFrame * frames) / keys.length
}

function hostileLog(tag: string, content: string): Json {
  const at = { hostile: 3, redacted: 2, long: 1 }[tag] ?? 0
  return {
    model: 'acme/hostile',
    tag,
    created_at: new Date(Date.now() - 3_600_000 + at * 1_000).toISOString(),
    messages: [{ role: 'user', content: 'Hello' }],
    response: { role: 'assistant', content },
  }
}

it('shows the verdicts of a chosen judge, and a grade after that is not blind', async () => {
  const judge = await createJudge(api, 'sim/judge', { name: 'Sound', online_enabled: true, online_percent: 100 })
  const { json } = await api('GET', '/logs?tag=playground&content=none')
  const [entry] = json.data
  expect((await api('POST', `/criteria/${judge.id}/scan`, { sample_count: 10 })).status).toBe(202)
  await eventually(
    async () => (await api('GET', `/criteria/${judge.id}/verdicts?log_id=${entry.id}`)).json.data.length === 1,
    { withinMs: 45_000 },
  )
  const others = await api('GET', `/criteria/${judge.id}/verdicts?log_id=log_00000000000070008000000000000000`)
  expect(others.json.data).toEqual([])
  await page.goto(`${base()}/logs?log=${entry.id}&judge=${judge.id}`)
  await panel().getByText('Salt dissolves in water.').first().waitFor()
  await press('v')
  await panel()
    .getByText(/scan ·/)
    .waitFor()
  await press('f')
  await panel()
    .getByText(/You graded it/)
    .waitFor()
  await eventually(async () => {
    const labels: readonly Json[] = (await api('GET', `/labels?criterion_id=${judge.id}`)).json.data
    return labels.some(({ blind, label }) => blind === false && label === 'fail')
  })
  await expectAccessible()
}, 300_000)

it('shows what users said about an answer, by keys only, and a grade after that is not blind', async () => {
  const hostile = '<img src=x onerror="window.said=1"> Wrong date.'
  const answered = { ...hostileLog('said', 'The shop opens at nine.'), model: 'acme/said' }
  expect((await api('POST', '/logs/import', { logs: [answered] })).json).toMatchObject({ imported: 1 })
  const { json } = await api('GET', '/logs?model=acme/said&content=none')
  const [{ id }] = json.data
  pointers.length = 0
  await page.goto(`${base()}/logs?log=${id}`)
  const tab = panel().getByRole('tab', { name: /^Feedback/ })
  await tab.waitFor()
  expect(await tab.textContent()).toBe('Feedback')
  await tab.focus()
  await press('Enter')
  await panel().getByRole('heading', { name: 'No feedback' }).waitFor()
  for (const given of [{ rating: 'down', comment: hostile }, { score: 0.25 }]) {
    expect((await api('POST', '/feedback', { log_id: id, ...given })).status).toBeLessThan(300)
  }
  await eventually(async () => (await api('GET', `/logs/${id}`)).json.feedback.length === 2)
  await page.reload()
  await panel().getByText('thumbs down').waitFor()
  await panel().getByText('Wrong date.').waitFor()
  await panel()
    .getByText(/score 0\.25/)
    .waitFor()
  expect(await tab.textContent()).toBe('Feedback (2)')
  expect(await page.evaluate('window.said')).toBeUndefined()
  await leaveField()
  await press('f')
  await panel().getByText('You graded it: fail').waitFor()
  const labels: readonly Json[] = (await api('GET', '/labels')).json.data
  expect(labels.find(({ log_id }) => log_id === id)).toMatchObject({ label: 'fail', blind: false })
  expect(pointers).toEqual([])
  await expectAccessible()
}, 300_000)

it('a run of two thousand spans loads without its content, draws only what is in sight, and reads steps on demand', async () => {
  const traceId = randomBytes(16).toString('hex')
  await sendLongRun(api, traceId)
  let skeletonBytes = 0
  page.on('requestfinished', async (sent) => {
    if (sent.url().includes(`/v1/traces/${traceId}?`)) skeletonBytes = (await sent.sizes()).responseBodySize
  })
  await page.goto(`${base()}/traces`)
  await page.getByRole('link', { name: traceId.slice(0, 24) }).click()
  const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem')
  await steps.first().waitFor()
  expect(await steps.first().getAttribute('aria-setsize')).toBe('2000')
  expect(await steps.count()).toBeLessThan(120)
  await eventually(() => skeletonBytes > 0)
  expect(skeletonBytes).toBeLessThan(300_000)
  await press('j', 'j')
  await page.getByText('Content of step 0').first().waitFor()
  await page.getByText('A run can be graded once it is completed.').waitFor({ state: 'detached' })
  await press('p')
  await page.getByText('You graded it: pass').waitFor()
  await expectAccessible()
}, 300_000)

it('lists segments, their traffic and the words that differ between variants', async () => {
  const logs = ['Ann', 'Bob'].map((name) => ({
    model: 'acme/greeter',
    messages: [
      { role: 'system', content: `You greet customers of the shop in a friendly voice. The customer is ${name}.` },
      { role: 'user', content: 'Hi' },
    ],
    response: { role: 'assistant', content: `Hello ${name}!` },
  }))
  expect((await api('POST', '/logs/import', { logs })).json).toMatchObject({ imported: 2 })
  const { json } = await api('GET', '/logs?model=acme/greeter&content=none')
  await page.goto(`${base()}/segments/${json.data[0].segment}`)
  await page.getByRole('img', { name: /^Exchanges: 2/ }).waitFor()
  await page.getByText('The customer is').first().waitFor()
  await expectAccessible()
  await press('g', 'm')
  await page.getByRole('table', { name: 'Segments' }).waitFor()
  await page.setViewportSize({ width: 360, height: 740 })
  for (const path of ['segments', 'logs', 'traces', 'playground']) {
    await page.goto(`${base()}/${path}`)
    await page.locator('h1').waitFor()
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
    expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0)
  }
}, 180_000)

it('grades an answer of the playground as its entry in the log, by keys only', async () => {
  await page.goto(`${base()}/playground?models=sim/echo`)
  await focusOn(page.getByRole('textbox', { name: 'User' }), 'Iron is a (flawed) drink.')
  await press('Control+Enter')
  await focusOn(page.getByRole('button', { name: 'Grade answer 1' }))
  await press('Enter')
  await page.getByRole('region', { name: 'Your grade' }).waitFor()
  await press('f')
  await page.getByText('You graded it: fail').waitFor()
  expect(JSON.stringify((await api('GET', '/labels')).json.data)).toContain('Iron is a (flawed)')
}, 300_000)
