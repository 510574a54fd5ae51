import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { staysTrueFor } from '@ratchet/testing/stays-true-for'
import { type Fleet, startFleet } from './fleet.ts'
import {
  type Api,
  apiOf,
  calibrate,
  createJudge,
  findGrades,
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
/** Result of the calibration without a fault. */
let undisturbed: Json

const rows = 500
const judgeModel = 'sim/judge-0.9-0.85'

beforeAll(async () => {
  fleet = await startFleet({ judges: true, env: { JUDGE_CONCURRENCY: '8', ABUSE_GUARD_LIMIT: '10000' } })
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  await gradeTruly(api, await sendTraffic(fleet, workspace, { model: 'sim/quality-0.6', count: rows }))
  undisturbed = await calibrate(api, (await createJudge(api, judgeModel)).id)
}, 300_000)
afterAll(() => fleet?.stop(), 180_000)

/** A calibration without its times and ids, and without what each copy of a judge needs more than the one before. */
function saidBy({
  id: _id,
  criterion_id: _criterion,
  created_at: _created,
  finished_at: _finished,
  e_value_needed: _needed,
  ...said
}: Json): Json {
  return said
}

it('gives the same numbers and charges when its worker is killed twenty times', async () => {
  const before = await readLedger(fleet.databaseUrl, workspace.workspaceId)
  const criterion = await createJudge(api, judgeModel)
  // Slow enough that every kill interrupts the work.
  await fleet.provider.script({ model: judgeModel, behaviour: 'slow-150', count: 100_000 })
  await findGrades(api, criterion.id)
  const { json } = await api('POST', `/criteria/${criterion.id}/calibrate`, {})
  const path = `/criteria/${criterion.id}/calibrations/${json.id}`
  const isRunning = async () => (await api('GET', path)).json.status === 'RUNNING'
  let worker = fleet.judgingWorker
  await eventually(isRunning)
  for (let kill = 0; kill < 20; kill += 1) {
    await staysTrueFor(150 + kill * 17, isRunning, { everyMs: 50 })
    worker.signal('SIGKILL')
    await worker.exited
    worker = await fleet.restartJudgingWorker()
  }
  const killed = await api('GET', path)
  expect(killed.json.status).toBe('RUNNING')
  const calibration = await untilOver(api, path, 150_000)
  expect(saidBy(calibration)).toEqual(saidBy(undisturbed))
  const after = await readLedger(fleet.databaseUrl, workspace.workspaceId)
  expect(after).toMatchObject({ violations: [] })
  expect(Number(after.charged - before.charged) / 1e9).toBeCloseTo(calibration.cost_usd, 6)
  expect(after.posted - before.posted).toBe(rows)
}, 300_000)

it('gives the same numbers when Redis loses all data, and when Postgres is unavailable for some time', async () => {
  await fleet.provider.reset()
  const criterion = await createJudge(api, judgeModel)
  await fleet.provider.script({ model: judgeModel, behaviour: 'slow-50', count: 100_000 })
  await findGrades(api, criterion.id)
  const { json } = await api('POST', `/criteria/${criterion.id}/calibrate`, {})
  const path = `/criteria/${criterion.id}/calibrations/${json.id}`
  const isRunning = async () => (await api('GET', path)).json.status === 'RUNNING'
  await eventually(isRunning)
  await staysTrueFor(500, isRunning)
  await fleet.redis.refuse()
  await staysTrueFor(500, isRunning)
  await fleet.redis.restore()
  await staysTrueFor(500, isRunning)
  await fleet.postgres.refuse()
  await staysTrueFor(1_000, async () => (await api('GET', path)).status >= 500)
  await fleet.postgres.restore()
  const calibration = await untilOver(api, path, 120_000)
  expect(saidBy(calibration)).toEqual(saidBy(undisturbed))
}, 200_000)
