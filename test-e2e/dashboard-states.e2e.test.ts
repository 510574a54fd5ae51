import { eventually } from '@ratchet/testing/eventually'
import type { Browser } from 'playwright-core'
import { holdReplies } from './browser/held-replies.ts'
import { openBrowser, type Visitor } from './browser/open-browser.ts'
import { openForm, openThroughStates, retryAll, settle } from './browser/page-states.ts'
import { visitAs, visitSignedIn } from './browser/signed-in.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { apiOf, createJudge } from './judged-traffic.ts'
import { workspaceWith } from './workspace-with.ts'

/* Every page of a workspace on a real fleet: while it loads, after an error, without anything to show, to a member, without messages. */

let fleet: Fleet
let browser: Browser
let owner: Visitor
let member: Visitor

beforeAll(async () => {
  const services = { dashboard: true, judges: true, evals: true, aliases: true, training: true, voice: true }
  ;[fleet, browser] = await Promise.all([startFleet(services), openBrowser()])
  owner = await visitSignedIn(fleet, browser)
  member = await visitSignedIn(fleet, browser, { userId: (await fleet.workspace.addMember('member')).userId })
}, 300_000)
afterAll(async () => {
  await browser?.close()
  await fleet?.stop()
}, 180_000)

const at = (path: string) => `/w/${fleet.workspace.slug}${path}`

/** Failures that a test causes are logged by the browser. */
const thrownBy = ({ complaints }: Visitor) => complaints.filter((text) => !text.includes('Failed to load resource'))

const off = 'Logging is off'
const forAdmins = 'Only owners and admins can do this.'
const forOwners = 'Only owners can do this.'
const forGraders = 'Only people who may grade can do this.'
const toTurnOn = 'Ask an owner or admin to turn it on'

/** Page, what it says in a new workspace, what leads on from there, and what a member is told; null where a member may do all. */
const pages = [
  ['', 'What is not stored can be neither graded nor compared.', 'Turn logging on', forAdmins],
  ['/logs', off, 'Turn logging on', toTurnOn],
  ['/logs/failures', 'No requests', 'Send a request from the playground', null],
  ['/traces', off, 'Turn logging on', toTurnOn],
  ['/segments', off, 'Turn logging on', toTurnOn],
  ['/review', 'No round yet', 'New round', forAdmins],
  ['/review/adjudicate', 'Nothing to decide', 'Grade in a round', forGraders],
  ['/judges', 'No judge here', 'Create a judge', forAdmins],
  ['/evals', 'No evals yet', 'Compare two models', forAdmins],
  ['/aliases', 'No alias yet', 'New alias', forAdmins],
  ['/datasets', 'No datasets yet', 'Curate one from the log', forAdmins],
  ['/billing', 'Nothing was spent in the last 7 days.', 'Set', forAdmins],
  ['/billing/ledger', 'top-up', 'Download as CSV', forOwners],
  ['/billing/usage', 'No charges', 'Send a request from the playground', forOwners],
  ['/billing/budgets', 'No budgets', 'Set a budget', forAdmins],
  ['/billing/statements', 'Opening balance', 'Download as CSV', forOwners],
  ['/settings/general', 'Limits of all keys together', 'Save', forAdmins],
  ['/settings/logging', 'Logging is off.', 'Turn logging on', forAdmins],
  ['/settings/keys', 'A key acts with the role', 'Create a key', null],
  ['/settings/provider-keys', 'No provider keys', 'Add a provider key', forAdmins],
  ['/settings/members', 'Some owner', 'Invite a person', forOwners],
  ['/settings/webhooks', 'No webhooks yet', 'Create a webhook', forAdmins],
  ['/settings/audit', 'No changes yet', 'Download as CSV', forOwners],
  ['/settings/erasure', 'No erasures', 'Find an end user', forAdmins],
  ['/training/jobs', 'No jobs yet', 'Train a model', forAdmins],
  ['/training/runs', 'No runs yet', 'Start a run', forAdmins],
  ['/training/raft', 'No rounds yet', 'Start a round', forAdmins],
  ['/training/tools', 'No tools yet', 'ratchet tools create', forAdmins],
  ['/training/versions', 'No versions yet', 'Train a model', forAdmins],
  ['/training/endpoints', 'No endpoints yet', 'Create an endpoint', forAdmins],
  ['/voice', 'No agents yet', 'VOICE_BASE_URL', null],
  ['/voice/calls', 'No calls yet', 'Calls from this page', null],
] as const

it.each(pages)(
  '%j says that it loads, what failed, and in a new workspace what comes next',
  async (path, empty, next) => {
    const page = await openThroughStates(owner.context, at(path))
    const main = page.locator('main')
    await main.getByText(empty).first().waitFor()
    const leads = main.getByRole('link', { name: next }).or(main.getByRole('button', { name: next }))
    await leads.or(main.getByText(next)).first().waitFor()
    expect(await main.getByRole('alert').count()).toBe(0)
    expect(thrownBy(owner)).toEqual([])
    await page.close()
  },
  90_000,
)

/** Forms, with what a member is told; null where a member may do all. */
const forms = [
  ['/playground', null],
  ['/review/graders', null],
  ['/judges/new', forAdmins],
  ['/judges/suggestions', forAdmins],
  ['/evals/new', forAdmins],
  ['/aliases/new', forAdmins],
  ['/datasets/new', forAdmins],
  ['/datasets/upload', forAdmins],
  ['/datasets/distill', forAdmins],
  ['/training/jobs/new', forAdmins],
  ['/training/runs/new', forAdmins],
  ['/training/raft/new', forAdmins],
  ['/training/endpoints/new', forAdmins],
] as const

it.each(forms)(
  'the form %s is there before anything is read, and after an error',
  async (path) => {
    const page = await openForm(owner.context, at(path), { reads: path !== '/datasets/upload' })
    expect(thrownBy(owner)).toEqual([])
    await page.close()
  },
  90_000,
)

/** Pages of things that do not exist. */
const gone = [
  ...['/traces/run-1', '/segments/1', '/review/round_1', '/judges/crit_1', '/evals/eval_1', '/aliases/none/routing'],
  ...['/datasets/ds_1', '/training/jobs/ftjob-1', '/training/runs/grpo_1', '/training/raft/raft_1'],
  ...['/training/tools/tool_1', '/training/versions/mv_1', '/training/endpoints/dep_1'],
] as const

it.each(gone)(
  '%s says that it loads, what failed, and that it is not here',
  async (path) => {
    const page = await openThroughStates(owner.context, at(path))
    await page
      .locator('main')
      .getByText(/This is not here|Logging is off/)
      .first()
      .waitFor()
    expect(thrownBy(owner)).toEqual([])
    await page.close()
  },
  90_000,
)

it('every page opens for a member, and says what a member may not do', async () => {
  const { page } = member
  for (const [path, reason] of [...pages.map(([first, , , last]) => [first, last] as const), ...forms]) {
    await page.goto(at(path))
    await settle(page)
    const main = page.locator('main')
    if (reason !== null) await main.getByText(reason).first().waitFor()
    // What a member may not read is said by the page, and not by an error of the server.
    expect([path, await main.getByRole('alert').allTextContents()]).toEqual([path, []])
  }
  expect(thrownBy(member)).toEqual([])
}, 180_000)

it('the pages of a judge and of an alias say that they load, what failed, and what comes next', async () => {
  const workspace = await workspaceWith(fleet, { loggingEnabled: true })
  const api = apiOf(fleet, workspace)
  const judge = await createJudge(api, 'sim/judge-0.8-0.9', { name: 'Sound', population: 'support' })
  const alias = { name: 'support', target_model: 'sim/small' }
  expect((await api('PUT', '/aliases', alias)).status).toBe(200)
  const visitor = await visitAs(fleet, browser, { userId: workspace.userId, slug: workspace.slug })
  const below = `/w/${workspace.slug}`
  const tabs = ['', '/confusion', '/try', '/verdicts', '/scans', '/monitor', '/improve', '/prompt']
  const paths = [
    ...tabs.map((tab) => `/judges/${judge.id}${tab}`),
    ...['/routing', '/canary', '/audit'].map((tab) => `/aliases/support${tab}`),
  ]
  for (const path of paths) {
    const page = await openThroughStates(visitor.context, `${below}${path}`)
    // On a slow machine a part may be drawn late, with a failure of before.
    await eventually(async () => {
      await retryAll(page)
      expect([path, await page.locator('main').getByRole('alert').allTextContents()]).toEqual([path, []])
    })
    await page.close()
  }
  expect(thrownBy(visitor)).toEqual([])
  await visitor.close()
}, 180_000)

it('says when no messages arrive and since when there is no network, keeps its numbers, and goes on by itself', async () => {
  const page = await owner.context.newPage()
  await page.clock.install()
  const replies = await holdReplies(page)
  replies.enter('given')
  await page.goto(at('/billing'))
  await page.getByText('$10.00').first().waitFor()
  const dot = (word: string) => page.getByRole('banner').getByRole('status').filter({ hasText: word })
  await page.clock.fastForward(41_000)
  await dot('polling').waitFor()
  await owner.context.setOffline(true)
  await page
    .getByRole('status')
    .getByText(/^Not live since \d/)
    .waitFor()
  expect(await page.getByText('$10.00').count()).toBeGreaterThan(0)
  await owner.context.setOffline(false)
  await page.getByText(/^Not live since/).waitFor({ state: 'detached' })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await page.clock.fastForward(41_000)
  await dot('live').waitFor()
  await page.close()
}, 120_000)
