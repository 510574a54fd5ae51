import { setTimeout as sleep } from 'node:timers/promises'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { type Fleet, startFleet } from './fleet.ts'
import {
  type Api,
  apiOf,
  calibrate,
  createJudge,
  gradeTruly,
  type Json,
  sendTraffic,
  untilOver,
} from './judged-traffic.ts'
import { readLedger } from './ledger-oracle.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: Fleet
let workspace: DemoWorkspace
let api: Api
/** What the calibration gives when nothing happens. */
let undisturbed: Json

const rows = 500
const judgeModel = 'sim/judge-0.9-0.85'

beforeAll(async () => {
  fleet = await startFleet({ judges: true, env: { JUDGE_CONCURRENCY: '8', ABUSE_GUARD_LIMIT: '10000' } })
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  await gradeTruly(api, await sendTraffic(fleet, workspace, { model: 'sim/quality-0.6', count: rows }))
  undisturbed = await calibrate(api, (await createJudge(api, judgeModel)).id)
}, 180_000)
afterAll(() => fleet?.stop(), 60_000)

/** Everything that a calibration says but when and under what name. */
function saidBy({
  id: _id,
  criterion_id: _criterion,
  created_at: _created,
  finished_at: _finished,
  ...said
}: Json): Json {
  return said
}

it('comes to the same numbers and the same bill when its worker is killed twenty times', async () => {
  const before = await readLedger(fleet.databaseUrl, workspace.workspaceId)
  const criterion = await createJudge(api, judgeModel)
  // Slow enough that no kill comes too late.
  await fleet.provider.script({ model: judgeModel, behaviour: 'slow-150', count: 100_000 })
  const { json } = await api('POST', `/criteria/${criterion.id}/calibrate`, {})
  let worker = fleet.judgingWorker
  for (let kill = 0; kill < 20; kill += 1) {
    await sleep(150 + kill * 17)
    worker.signal('SIGKILL')
    await worker.exited
    worker = await fleet.restartJudgingWorker()
  }
  const killed = await api('GET', `/criteria/${criterion.id}/calibrations/${json.id}`)
  expect(killed.json.status).toBe('RUNNING')
  const calibration = await untilOver(api, `/criteria/${criterion.id}/calibrations/${json.id}`, 150_000)
  expect(saidBy(calibration)).toEqual(saidBy(undisturbed))
  const after = await readLedger(fleet.databaseUrl, workspace.workspaceId)
  expect(after).toMatchObject({ violations: [] })
  expect(Number(after.charged - before.charged) / 1e9).toBeCloseTo(calibration.cost_usd, 6)
  expect(after.posted - before.posted).toBe(rows)
}, 300_000)

it('comes to the same numbers when Redis forgets everything, and when Postgres goes away for a while', async () => {
  await fleet.provider.reset()
  const criterion = await createJudge(api, judgeModel)
  await fleet.provider.script({ model: judgeModel, behaviour: 'slow-50', count: 100_000 })
  const { json } = await api('POST', `/criteria/${criterion.id}/calibrate`, {})
  await sleep(500)
  await fleet.redis.refuse()
  await sleep(500)
  await fleet.redis.restore()
  await sleep(500)
  await fleet.postgres.refuse()
  await sleep(1_000)
  await fleet.postgres.restore()
  const calibration = await untilOver(api, `/criteria/${criterion.id}/calibrations/${json.id}`, 120_000)
  expect(saidBy(calibration)).toEqual(saidBy(undisturbed))
}, 200_000)
