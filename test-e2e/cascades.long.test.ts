import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type Account, ledgerOf } from './charge.ts'
import {
  type Api,
  apiOf,
  createJudge,
  findGrades,
  gradeTruly,
  type Json,
  sendTraffic,
  untilOver,
} from './judged-traffic.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let workspace: DemoWorkspace
let account: Account
let api: Api

const exchanges = 120
const traffic = { model: 'sim/quality-0.6', count: exchanges, tag: 'answers' }

beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  account = { databaseUrl: fleet.databaseUrl, workspace }
  api = apiOf(fleet, workspace)
  await gradeTruly(api, await sendTraffic(fleet, workspace, traffic))
}, 300_000)

async function createCascade(
  [cheap, dear]: readonly [string, string],
  { verdicts = [3, 1], ...more }: { readonly verdicts?: readonly number[]; readonly agreement?: number } = {},
): Promise<Json> {
  const judges = [await createJudge(api, cheap), await createJudge(api, dear)]
  await findGrades(api, judges[1].id)
  const members = judges.map(({ id }, index) => ({ criterion_id: id, verdicts: verdicts[index] }))
  const { status, json, text } = await api('POST', '/cascades', { name: 'Flaws', members, ...more })
  expect([status, text]).toEqual([201, expect.any(String)])
  return json
}

async function calibrate(id: string): Promise<Json> {
  const { status, text } = await api('POST', `/cascades/${id}/calibrate`, {})
  expect([status, text]).toEqual([202, expect.any(String)])
  return eventually(
    async () => {
      const { json } = await api('GET', `/cascades/${id}`)
      return ['DONE', 'FAILED'].includes(json.calibration.status) ? json : null
    },
    { withinMs: 60_000, everyMs: 100 },
  )
}

async function spentOn<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
  const before = await ledgerOf(account)
  const result = await work()
  const after = await ledgerOf(account)
  expect(after.violations).toEqual([])
  return [result, Number(before.balance - after.balance) / 1e9]
}

it('decides by a judge that hesitates where it errs, and by a perfect one where it does', async () => {
  // A judge of 0.9 is right about an item in all of its three verdicts at a rate of 0.73. Simulated judges cost the same.
  const judges = ['sim/judge-0.9-0.9', 'sim/judge-1-1'] as const
  const { id } = await createCascade(judges, { agreement: 0.93, verdicts: [3, 5] })
  const [{ can_scan, calibration }, paid] = await spentOn(() => calibrate(id))
  expect(calibration).toMatchObject({ status: 'DONE', graded: exchanges, is_proven: true, coverage: 1 })
  expect(can_scan).toBe(true)
  expect(calibration.agreement).toBeGreaterThan(0.93)
  expect(calibration.cost_usd).toBeCloseTo(paid, 9)
  const [scan, scanned] = await spentOn(async () => {
    const { json } = await api('POST', `/cascades/${id}/scan`, { sample_count: 60, filters: { tag: traffic.tag } })
    return untilOver(api, `/cascades/${id}/scans/${json.id}`)
  })
  expect(scan).toMatchObject({ status: 'DONE', matched: exchanges, decided: 60, undecided: 0, unjudged: 0 })
  expect(scan.cost_usd).toBeCloseTo(scanned, 9)
  expect(scan.shares[0].share).toBeGreaterThan(0.5)
  expect(scan.corrected_ci[0]).toBeLessThan(scan.corrected_ci[1])
}, 300_000)

it('does not call a judge that decides by chance, and promises nothing after a change', async () => {
  const { id, members } = await createCascade(['sim/judge-0.5-0.5', 'sim/judge-1-1'])
  const { calibration } = await calibrate(id)
  expect(calibration.thresholds.map(({ min_equal }: Json) => min_equal)).toEqual([null, 1])
  expect(calibration.saving).toBeCloseTo(0)
  const scan = await api('POST', `/cascades/${id}/scan`, { sample_count: 10, filters: { tag: traffic.tag } })
  const path = `/cascades/${id}/scans/${scan.json.id}`
  expect(await untilOver(api, path)).toMatchObject({ decided: 10, progress: { done: 10, total: 10 } })
  expect((await api('GET', `${path}/undecided`)).json).toMatchObject({ total: 0, data: [] })
  await api('PATCH', `/criteria/${members[1].criterion_id}`, { judge_model: 'sim/judge-0.9-0.9' })
  expect((await api('GET', `/cascades/${id}`)).json).toMatchObject({
    can_scan: false,
    calibration: { status: 'VOIDED' },
  })
  expect((await api('POST', `/cascades/${id}/scan`, {})).status).toBe(412)
}, 300_000)

it('proves nothing when both judges decide by chance', async () => {
  const { id } = await createCascade(['sim/judge-0.5-0.5', 'sim/judge-0.6-0.6'])
  const { can_scan, calibration } = await calibrate(id)
  expect([can_scan, calibration.status, calibration.is_proven]).toEqual([false, 'DONE', false])
}, 300_000)
