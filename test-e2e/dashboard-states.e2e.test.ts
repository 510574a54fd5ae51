import { eventually } from '@ratchet/testing/eventually'
import { demoScript } from './browser/demo-script.ts'
import type { Visitor } from './browser/open-browser.ts'
import { scriptedPages } from './browser/scripted-pages.ts'
import { refusal, type Script } from './browser/scripted-server.ts'

/* What every page of a workspace shows while it loads, without anything to show, after an error, and to a member. */

const pages = scriptedPages()
type State = 'loads' | 'empty' | 'fails' | 'full'
let state: State = 'full'
let role = 'owner'
let visitor: Visitor

beforeAll(async () => {
  await pages.start()
  visitor = (await pages.open('/w/demo', { script: stateful(demoScript) })).visitor
}, 300_000)
afterAll(async () => {
  await pages.close()
  await pages.stop()
})

/** Every read of the workspace replies as the state says. */
function stateful(script: Script): Script {
  const replies = Object.entries(script).map(([call, reply]) => {
    if (call === 'GET /api/me') return [call, () => asRole(reply)]
    return [call, call.startsWith('GET /api/w/demo/') ? () => inState(reply) : reply]
  })
  return Object.fromEntries(replies)
}

function asRole(me: unknown): unknown {
  return { ...(me as object), workspaces: [{ slug: 'demo', name: 'Demo', role, may_grade: role !== 'member' }] }
}

function inState(reply: unknown): unknown {
  const value = typeof reply === 'function' ? reply(null) : reply
  if (state === 'loads') return new Promise(() => undefined)
  if (state === 'fails') return refusal(500, 'internal_error', 'It cannot be read now.')
  const isList = typeof value === 'object' && value !== null && 'data' in value && Array.isArray(value.data)
  return state === 'empty' && isList ? { ...value, data: [], total: 0, has_more: false } : value
}

async function visitIn(next: State, path: string, as = 'owner'): Promise<void> {
  state = next
  role = as
  await visitor.page.goto(`/w/demo${path}`)
}

const thrown = () => visitor.complaints.filter((text) => !text.includes('Failed to load resource'))

/** Pages that show what they read. */
const reading = [
  ...['', '/logs/failures', '/traces/run-1', '/judges', '/evals', '/evals/eval_1', '/aliases', '/datasets'],
  ...['/datasets/ds_1', '/review', '/review/adjudicate', '/review/graders?criterion_id=crit_1', '/billing'],
  ...['/billing/ledger', '/billing/usage', '/settings/general', '/settings/logging', '/settings/keys'],
  ...['/settings/provider-keys', '/settings/members', '/settings/webhooks', '/settings/audit'],
  ...['/training/jobs', '/training/jobs/ftjob-1', '/training/runs', '/training/runs/grpo_1', '/training/raft'],
  ...['/training/raft/raft_1', '/training/tools', '/training/tools/tool_1', '/training/versions'],
  ...['/training/versions/mv_1'],
] as const

/** Forms and tools, which are there before anything is read. */
const forms = [
  ...['/playground', '/judges/new', '/evals/new', '/datasets/new', '/datasets/upload', '/training/jobs/new'],
  ...['/training/runs/new', '/training/raft/new'],
] as const

describe.each(reading)('the page %s', (path) => {
  it('says that it loads, what failed with its request, and tries again', async () => {
    const { page } = visitor
    await visitIn('loads', path)
    await page.locator('main [aria-busy="true"]').first().waitFor()
    await visitIn('fails', path)
    const alerts = page.locator('main').getByRole('alert')
    await alerts.first().getByText('It cannot be read now.').waitFor()
    await alerts
      .first()
      .getByRole('button', { name: /req_scripted/ })
      .waitFor()
    const failed = await alerts.count()
    state = 'full'
    await alerts.first().getByRole('button', { name: 'Retry' }).click()
    // A page may have several parts, each with its own.
    await eventually(async () => (await alerts.count()) < failed, { withinMs: 20_000, everyMs: 50 })
    expect(thrown()).toEqual([])
  }, 60_000)

  it('opens without anything to show, and for a member', async () => {
    const { page } = visitor
    for (const [next, as] of [
      ['empty', 'owner'],
      ['full', 'member'],
    ] as const) {
      await visitIn(next, path, as)
      await page.locator('main h1').first().waitFor()
      await page.locator('main:not(:has([aria-busy="true"]))').waitFor()
    }
    expect(thrown()).toEqual([])
  }, 60_000)
})

it.each(forms)(
  'the page %s is there in every state',
  async (path) => {
    for (const [next, as] of [
      ['loads', 'owner'],
      ['fails', 'owner'],
      ['empty', 'owner'],
      ['full', 'member'],
    ] as const) {
      await visitIn(next, path, as)
      await visitor.page.locator('main h1').first().waitFor()
    }
    expect(thrown()).toEqual([])
  },
  60_000,
)

it('says since when nothing is live, keeps its numbers, and goes on with the network', async () => {
  const { page, context } = visitor
  await visitIn('full', '')
  await page.getByText('41,234 logged').waitFor()
  await context.setOffline(true)
  await page
    .getByRole('status')
    .getByText(/^Not live since \d/)
    .waitFor()
  expect(await page.getByText('41,234 logged').count()).toBe(1)
  await context.setOffline(false)
  await page.getByText(/^Not live since/).waitFor({ state: 'detached' })
}, 120_000)
