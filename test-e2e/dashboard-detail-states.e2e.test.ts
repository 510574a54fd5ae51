import { adminScript } from './browser/admin-script.ts'
import type { Visitor } from './browser/open-browser.ts'
import { openThroughStates, settle } from './browser/page-states.ts'
import { scriptedPages } from './browser/scripted-pages.ts'

/* Pages of single things while they load, after an error, and for a member. Replies are scripted. */

const pages = scriptedPages()
let role = 'owner'
let visitor: Visitor

beforeAll(async () => {
  await pages.start()
  const me = adminScript['GET /api/me'] as object
  const workspaces = () => [{ slug: 'demo', name: 'Demo', role, may_grade: role !== 'member' }]
  const script = { ...adminScript, 'GET /api/me': () => ({ ...me, workspaces: workspaces() }) }
  visitor = (await pages.open('/w/demo', { script })).visitor
}, 300_000)
afterAll(async () => {
  await pages.close()
  await pages.stop()
})

/** Pages outside of a workspace, with their reads. */
const others = [
  ['/account', '**/api/{sessions,passkeys}'],
  ...['', '/limits', '/providers', '/credits', '/users', '/work', '/ledgers'].map(
    (path) => [`/admin${path}`, '**/api/admin/**'] as const,
  ),
] as const

it.each(others)(
  '%s says that it loads and what failed, and reads again',
  async (path, reads) => {
    role = 'owner'
    const page = await openThroughStates(visitor.context, path, reads)
    expect(thrown()).toEqual([])
    await page.close()
  },
  90_000,
)

const thrown = () => visitor.complaints.filter((text) => !text.includes('Failed to load resource'))

const forAdmins = 'Only owners and admins can do this.'

/** Pages with what a member is told; null where a member may do all that the page offers. */
const details = [
  ['/traces/run-1', 'Only people who may grade can do this.'],
  ['/evals/eval_1', null],
  ['/evals/eval_1/samples/1', null],
  ['/datasets/ds_1', null],
  ['/training/jobs/ftjob-1', forAdmins],
  ['/training/runs/grpo_1', forAdmins],
  ['/training/runs/grpo_1/rollouts', forAdmins],
  ['/training/runs/grpo_1/audit', forAdmins],
  ['/training/raft/raft_1', forAdmins],
  ['/training/raft/raft_1/audit', forAdmins],
  ['/training/tools/tool_1', forAdmins],
  ['/training/versions/mv_1', forAdmins],
  ['/training/endpoints/dep_1', forAdmins],
  ['/review/rnd_1', 'Only people who may grade can do this.'],
] as const

it.each(details)(
  '%s says that it loads and what failed, reads again, and says what a member may not do',
  async (path, reason) => {
    role = 'owner'
    const page = await openThroughStates(visitor.context, `/w/demo${path}`)
    role = 'member'
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.reload()
    await settle(page)
    if (reason !== null) await page.locator('main').getByText(reason).first().waitFor()
    expect(thrown()).toEqual([])
    await page.close()
  },
  90_000,
)
