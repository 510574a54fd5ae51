import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type Fleet, startFleet } from './fleet.ts'
import { ageCalibrations } from './judged-rows.ts'
import { type Api, apiOf, calibrate, createJudge, gradeTruly, type Json, sendTraffic } from './judged-traffic.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: Fleet
let workspace: DemoWorkspace
let api: Api

beforeAll(async () => {
  const env = {
    MONITOR_EVERY_MS: '200',
    MONITOR_INGEST_LAG_MS: '300',
    DRIFT_SWEEP_MS: '1000',
    ABUSE_GUARD_LIMIT: '10000',
  }
  fleet = await startFleet({ judges: true, env })
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
}, 90_000)
afterAll(() => fleet?.stop(), 60_000)

/** Creates a judge that was calibrated on good traffic and monitors all new traffic. */
async function monitoringJudge(judgeModel: string, tag: string, from: number): Promise<Json> {
  const criterion = await createJudge(api, judgeModel, { population: tag, online_enabled: true, online_percent: 100 })
  const traffic = await sendTraffic(fleet, workspace, { model: 'sim/quality-0.85', count: 150, tag, from })
  await gradeTruly(api, traffic)
  await calibrate(api, criterion.id)
  return criterion
}

/** Waits until the judge is flagged with a reason. */
function flagged(criterionId: string): Promise<Json> {
  return eventually(
    async () => {
      const { json } = await api('GET', `/criteria/${criterionId}`)
      return /has changed\.$/.test(json.drift_reason ?? '') ? json : null
    },
    { withinMs: 75_000, everyMs: 200 },
  )
}

it('flags worse traffic as such, not as a worse judge', async () => {
  const criterion = await monitoringJudge('sim/judge-0.98-0.98', 'traffic', 0)
  await sendTraffic(fleet, workspace, { model: 'sim/quality-0.4', count: 150, tag: 'traffic', from: 1_000 })
  const judge = await flagged(criterion.id)
  expect(judge).toMatchObject({ drift_status: 'flagged', drift_signal: 'quality_drop' })
  expect(judge.drift_reason).toMatch(/the traffic has changed\.$/)
}, 120_000)

it('flags a judge that has changed, with this reason', async () => {
  const criterion = await monitoringJudge('sim/judge-0.97-0.97', 'judge', 10_000)
  await fleet.provider.script({ model: 'sim/judge-0.97-0.97', behaviour: 'judge-0.97-0.4', count: 100_000 })
  await sendTraffic(fleet, workspace, { model: 'sim/quality-0.85', count: 150, tag: 'judge', from: 11_000 })
  const judge = await flagged(criterion.id)
  expect(judge).toMatchObject({ drift_status: 'flagged', drift_signal: 'quality_drop' })
  expect(judge.drift_reason).toMatch(/: the judge has changed\.$/)
  expect(judge.drift_checked_at).not.toBeNull()
}, 120_000)

it('flags an outdated calibration until the judge is calibrated again', async () => {
  const criterion = await monitoringJudge('sim/judge-0.96-0.96', 'age', 20_000)
  await ageCalibrations(fleet, criterion.id)
  const stale = await eventually(
    async () => {
      const { json } = await api('GET', `/criteria/${criterion.id}`)
      return json.drift_signal === 'stale' ? json : null
    },
    { withinMs: 15_000, everyMs: 200 },
  )
  expect(stale).toMatchObject({
    drift_status: 'flagged',
    drift_reason: expect.stringMatching(/^Calibrated 4\d days ago/),
  })
  await calibrate(api, criterion.id)
  // A sweep that read the old calibration meanwhile is corrected by the next one.
  await eventually(
    async () => {
      const { json } = await api('GET', `/criteria/${criterion.id}`)
      expect(json).toMatchObject({ drift_status: 'ok', drift_signal: null, drift_reason: null })
    },
    { withinMs: 10_000, everyMs: 200 },
  )
}, 120_000)
