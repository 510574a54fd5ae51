import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { type Fleet, startFleet } from './fleet.ts'
import { type Api, apiOf, calibrate, createJudge, gradeTruly, sendTraffic } from './judged-traffic.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: Fleet
let workspace: DemoWorkspace
let api: Api

const rows = 96
const concurrency = 4
const latencyMs = 500

beforeAll(async () => {
  fleet = await startFleet({
    judges: true,
    env: { JUDGE_CONCURRENCY: String(concurrency), ABUSE_GUARD_LIMIT: '10000' },
  })
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  await gradeTruly(api, await sendTraffic(fleet, workspace, { model: 'sim/quality-0.6', count: rows }))
}, 300_000)
afterAll(() => fleet?.stop(), 180_000)

/** Time that the running workers need for a calibration, milliseconds. */
async function timeCalibration(): Promise<number> {
  const judgeModel = 'sim/judge-0.95-0.95'
  const criterion = await createJudge(api, judgeModel)
  await fleet.provider.script({ model: judgeModel, behaviour: `slow-${latencyMs}`, count: rows })
  const startedAt = performance.now()
  const calibration = await calibrate(api, criterion.id)
  expect(calibration).toMatchObject({ status: 'DONE', n_unparseable: 0 })
  return performance.now() - startedAt
}

it('calibrates in half the time with twice as many workers', async () => {
  const one = await timeCalibration()
  await fleet.addJudgingWorker()
  const two = await timeCalibration()
  await Promise.all([fleet.addJudgingWorker(), fleet.addJudgingWorker()])
  const four = await timeCalibration()
  const ideal = (rows / concurrency) * latencyMs
  // Time in addition to the provider's latency: planning, aggregation, and a check every 100 ms.
  expect(one).toBeGreaterThan(ideal)
  expect(one).toBeLessThan(ideal * 2)
  expect(one / two).toBeGreaterThan(1.5)
  expect(one / four).toBeGreaterThan(2.3)
}, 300_000)
