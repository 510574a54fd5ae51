import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { type Fleet, startFleet } from './fleet.ts'
import { ageCalibrations, ageJudge } from './judged-rows.ts'
import {
  type Api,
  apiOf,
  calibrate,
  createJudge,
  gradeTruly,
  type Json,
  type LoggedExchange,
  sendTraffic,
  type Traffic,
  untilOver,
} from './judged-traffic.ts'
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
}, 300_000)
afterAll(() => fleet?.stop(), 180_000)

interface Monitoring {
  /** Only those are graded, by a person who chose them; all when absent. */
  readonly picks?: (traffic: readonly LoggedExchange[]) => readonly LoggedExchange[]
  readonly judgeModel: string
  readonly tag: string
  /** Index of the first question. */
  readonly from: number
}

/** Creates a judge that monitors all traffic of a tag, and was calibrated on good traffic ten days ago. */
async function monitoringJudge({ judgeModel, tag, from, picks }: Monitoring): Promise<string> {
  const { id } = await createJudge(api, judgeModel, { population: tag, online_enabled: true, online_percent: 100 })
  const traffic = await sendTraffic(fleet, workspace, { model: 'sim/quality-0.85', count: 150, tag, from })
  if (picks === undefined) {
    await gradeTruly(api, traffic)
    await calibrate(api, id)
  } else {
    await gradeTruly(api, picks(traffic), { sampling: null })
    const { json } = await api('POST', `/criteria/${id}/calibrate`, { include_picked: true })
    expect(await untilOver(api, `/criteria/${id}/calibrations/${json.id}`)).toMatchObject({ status: 'DONE' })
  }
  await monitored(id, 100)
  await ageJudge(fleet, id, 10)
  return id
}

/** Waits until the monitor has given more verdicts; the first exchanges may be older than the monitoring. */
function monitored(criterionId: string, count: number): Promise<void> {
  return eventually(
    async () => {
      const { json } = await api('GET', `/criteria/${criterionId}/verdicts?source=online&limit=1`)
      expect(json.total).toBeGreaterThanOrEqual(count)
    },
    { withinMs: 45_000, everyMs: 200 },
  )
}

/** Sends new traffic, and makes it two days old when it was judged. */
async function sendLater(id: string, traffic: Traffic & { readonly count: number }): Promise<void> {
  const { json } = await api('GET', `/criteria/${id}/verdicts?source=online&limit=1`)
  await sendTraffic(fleet, workspace, traffic)
  await monitored(id, json.total + traffic.count)
  await ageJudge(fleet, id, 2)
}

/** Waits until it is known what changed. */
function flagged(criterionId: string): Promise<Json> {
  return eventually(
    async () => {
      const { json } = await api('GET', `/criteria/${criterionId}`)
      return json.drift_cause === null ? null : json
    },
    { withinMs: 60_000, everyMs: 200 },
  )
}

it('flags worse traffic as such, not as a worse judge', async () => {
  const tag = 'traffic'
  const id = await monitoringJudge({ judgeModel: 'sim/judge-0.98-0.98', tag, from: 0 })
  await sendLater(id, { model: 'sim/quality-0.4', count: 150, tag, from: 1_000 })
  expect(await flagged(id)).toMatchObject({
    drift_status: 'flagged',
    drift_signal: 'quality_drop',
    drift_cause: 'traffic',
    drift_reason: expect.stringMatching(/the traffic has changed\.$/),
  })
}, 300_000)

it('flags worse traffic although people graded so many fails that it is better than what they graded', async () => {
  const tag = 'picked'
  // Three in four of what is graded are fails, and one in seven of the traffic.
  const picks = (traffic: readonly LoggedExchange[]) => {
    const fails = traffic.filter(({ isFlawed }) => isFlawed)
    return [...fails, ...traffic.filter(({ isFlawed }) => !isFlawed).slice(0, Math.ceil(fails.length / 3))]
  }
  const id = await monitoringJudge({ judgeModel: 'sim/judge-0.99-0.99', tag, from: 40_000, picks })
  await sendLater(id, { model: 'sim/quality-0.5', count: 150, tag, from: 41_000 })
  const judge = await eventually(
    async () => {
      const { json } = await api('GET', `/criteria/${id}`)
      return json.drift_status === 'flagged' ? json : null
    },
    { withinMs: 60_000, everyMs: 200 },
  )
  expect(judge).toMatchObject({ drift_signal: 'quality_drop' })
}, 300_000)

it('does not flag stable traffic, however often it looks', async () => {
  const tag = 'stable'
  const id = await monitoringJudge({ judgeModel: 'sim/judge-0.96-0.98', tag, from: 50_000 })
  await sendLater(id, { model: 'sim/quality-0.85', count: 100, tag, from: 51_000 })
  const looks = new Set<string>()
  await eventually(
    async () => {
      const { json } = await api('GET', `/criteria/${id}`)
      expect([json.drift_status, json.drift_cause]).toEqual(['ok', null])
      if (json.drift_checked_at !== null) looks.add(json.drift_checked_at)
      return looks.size >= 8 ? true : null
    },
    { withinMs: 90_000, everyMs: 300 },
  )
}, 240_000)

it('flags a judge that fails good answers since a change, with this reason', async () => {
  const tag = 'judge'
  const id = await monitoringJudge({ judgeModel: 'sim/judge-0.97-0.97', tag, from: 10_000 })
  await fleet.provider.script({ model: 'sim/judge-0.97-0.97', behaviour: 'judge-0.97-0.4', count: 100_000 })
  await sendLater(id, { model: 'sim/quality-0.85', count: 150, tag, from: 11_000 })
  const judge = await flagged(id)
  expect(judge).toMatchObject({ drift_status: 'flagged', drift_signal: 'quality_drop', drift_cause: 'judge' })
  expect(judge.drift_checked_at).not.toBeNull()
}, 300_000)

it('flags a judge that stops finding fails by its panel, whose cost is shown', async () => {
  const tag = 'panel'
  const id = await monitoringJudge({ judgeModel: 'sim/judge-0.95-0.97', tag, from: 30_000 })
  await fleet.provider.script({ model: 'sim/judge-0.95-0.97', behaviour: 'judge-0.1-0.97', count: 100_000 })
  await sendLater(id, { model: 'sim/quality-0.85', count: 20, tag, from: 31_000 })
  // Rows are judged again once a day: what was judged becomes two days old, so that it is due again.
  let spentUsd = 0
  const judge = await eventually(
    async () => {
      const { json } = await api('GET', `/criteria/${id}`)
      if (json.drift_status === 'flagged') return json
      if (json.drift_panel_spent_usd > spentUsd) {
        await ageJudge(fleet, id, 2)
        spentUsd = (await api('GET', `/criteria/${id}`)).json.drift_panel_spent_usd
      }
      return null
    },
    { withinMs: 60_000, everyMs: 500 },
  )
  expect(judge).toMatchObject({
    drift_signal: 'stale',
    drift_cause: 'judge',
    drift_reason: expect.stringMatching(/the judge passes .* of those that people fail/),
  })
}, 300_000)

it('flags an outdated calibration until the judge is calibrated again', async () => {
  const id = await monitoringJudge({ judgeModel: 'sim/judge-0.96-0.96', tag: 'age', from: 20_000 })
  await ageCalibrations(fleet, id)
  const stale = await eventually(
    async () => {
      const { json } = await api('GET', `/criteria/${id}`)
      return json.drift_signal === 'stale' ? json : null
    },
    { withinMs: 45_000, everyMs: 200 },
  )
  expect(stale).toMatchObject({
    drift_status: 'flagged',
    drift_reason: expect.stringMatching(/^Calibrated [45]\d days ago/),
  })
  await calibrate(api, id)
  // A sweep that read the old calibration meanwhile is corrected by the next one.
  await eventually(
    async () => {
      const { json } = await api('GET', `/criteria/${id}`)
      expect(json).toMatchObject({ drift_status: 'ok', drift_signal: null, drift_reason: null })
    },
    { withinMs: 45_000, everyMs: 200 },
  )
}, 300_000)
