import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import pg from 'pg'
import {
  type Api,
  allGraded,
  apiOf,
  calibrate,
  createJudge,
  gradeTruly,
  hasMonitorStarted,
  type LoggedExchange,
  sendTraffic,
  untilOver,
} from './judged-traffic.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let workspace: DemoWorkspace
let api: Api
let traffic: readonly LoggedExchange[]

beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  traffic = await sendTraffic(fleet, workspace, { model: 'sim/quality-0.6', count: 200, tag: 'support' })
  await gradeTruly(api, traffic)
}, 300_000)

/** Charges for judging in the ledger, micro-dollars. */
async function judgingBill(): Promise<number> {
  const client = new pg.Client({ connectionString: fleet.databaseUrl })
  await client.connect()
  const { rows } = await client.query(
    `SELECT coalesce(sum(cost), 0)::text AS cost FROM ledger_request WHERE wallet_id = $1 AND kind = 'judge' AND state = 'posted'`,
    [workspace.workspaceId],
  )
  await client.end()
  return Number(rows[0].cost) / 1_000
}

const micro = (usd: number) => Math.round(usd * 1_000_000)

it('certifies a judge that agrees with people, with the same numbers as an independent count', async () => {
  const criterion = await createJudge(api, 'sim/judge-0.99-0.99', { population: 'support' })
  expect(criterion).toMatchObject({ trust: 'unmeasured', tier: 'unmeasured', tpr: null, drift_status: 'ok' })
  const before = await judgingBill()
  const calibration = await calibrate(api, criterion.id)
  const { tp, fn, fp, tn } = calibration.confusion
  const fails = traffic.filter(({ isFlawed }) => isFlawed).length
  expect(calibration).toMatchObject({ status: 'DONE', n_unparseable: 0, sampling: 'random', looks: 1 })
  expect([tp + fn, fp + tn]).toEqual([fails, traffic.length - fails])
  expect(calibration.tpr).toBeCloseTo(tp / (tp + fn), 12)
  expect(calibration.tnr).toBeCloseTo(tn / (tn + fp), 12)
  expect(calibration.progress).toEqual({ done: 200, total: 200 })
  // 5 % of the rows, at least 20, by a judge whose answers depend on the prompt alone.
  expect(calibration.repeatability).toMatchObject({ rows: 20, same: 20, rate: 1 })
  expect(micro(calibration.cost_usd)).toBe(Math.round((await judgingBill()) - before))
  const { json } = await api('GET', `/criteria/${criterion.id}`)
  expect(json).toMatchObject({ tpr: calibration.tpr, tnr: calibration.tnr, alignment_n: 200, tier: 'aligned' })
  expect(json.trust).toBe(json.tpr_ci[0] >= 0.9 && json.tnr_ci[0] >= 0.9 ? 'trustworthy' : 'under-measured')
  const rows = await api('GET', `/criteria/${criterion.id}/calibrations/${calibration.id}/rows?cell=fn`)
  expect(rows.json.total).toBe(fn)
}, 300_000)

it('does not certify a judge that disagrees, and voids its calibration when the judge is changed', async () => {
  const criterion = await createJudge(api, 'sim/judge-0.5-0.95', { population: 'support' })
  await calibrate(api, criterion.id)
  const measured = await api('GET', `/criteria/${criterion.id}`)
  expect(measured.json).toMatchObject({ trust: 'misaligned', tier: 'misaligned' })
  const kept = await api('PATCH', `/criteria/${criterion.id}`, { online_percent: 50, name: 'Renamed' })
  expect(kept.json).toMatchObject({ name: 'Renamed', trust: 'misaligned' })
  const voided = await api('PATCH', `/criteria/${criterion.id}`, { judge_prompt: 'The answer is wrong somewhere.' })
  expect(voided.json).toMatchObject({
    trust: 'unmeasured',
    tpr: null,
    tpr_ci: null,
    alignment_n: null,
    aligned_at: null,
  })
  const { json } = await api('GET', `/criteria/${criterion.id}/calibrations`)
  expect(json.data.map(({ status }: { status: string }) => status)).toEqual(['VOIDED'])
  const unit = await api('PATCH', `/criteria/${criterion.id}`, { unit: 'trace' })
  expect(unit).toMatchObject({ status: 400, json: { error: { code: 'immutable_parameter', param: 'unit' } } })
}, 300_000)

it('classifies a judge as borderline when its rate is so near the bar that more grades would not decide', async () => {
  const criterion = await createJudge(api, 'sim/judge-1-1', { population: 'support' })
  const fails = traffic.filter(({ isFlawed }) => isFlawed).length
  // People also fail some sound answers, so that the judge finds nine in ten of the failed ones.
  const failedToo = traffic.filter(({ isFlawed }) => !isFlawed).slice(0, Math.round(fails / 9))
  const labels = failedToo.map(({ id }) => ({
    log_id: id,
    label: 'fail',
    criterion_id: criterion.id,
    sampling: allGraded,
  }))
  expect((await api('POST', '/labels', { labels })).status).toBe(201)
  await calibrate(api, criterion.id)
  const { json } = await api('GET', `/criteria/${criterion.id}`)
  expect(json.tpr).toBeCloseTo(fails / (fails + failedToo.length), 12)
  expect(json).toMatchObject({ trust: 'borderline', tnr: 1, fail_grades_needed: null })
}, 300_000)

it('fails the calibration of a judge that gives no verdicts, and counts none', async () => {
  const criterion = await createJudge(api, 'sim/judge-broken', { population: 'support' })
  const calibration = await calibrate(api, criterion.id)
  expect(calibration).toMatchObject({ status: 'FAILED', trust: 'unmeasured', tpr: null })
  expect(calibration.error).toMatch(/verdict/)
}, 300_000)

it('scans traffic and corrects the rate for the known errors of the judge', async () => {
  const criterion = await createJudge(api, 'sim/judge-0.9-0.9', { population: 'support' })
  await calibrate(api, criterion.id)
  const more = await sendTraffic(fleet, workspace, {
    model: 'sim/quality-0.8',
    count: 200,
    tag: 'support',
    from: 10_000,
  })
  const started = await api('POST', `/criteria/${criterion.id}/scan`, { sample_count: 300 })
  expect(started.status).toBe(202)
  const scan = await untilOver(api, `/criteria/${criterion.id}/scans/${started.json.id}`)
  expect(scan).toMatchObject({ status: 'DONE', matched: 400, judged: 300, n_unparseable: 0, method: 'rogan_gladen' })
  const all = [...traffic, ...more]
  const truth = all.filter(({ isFlawed }) => !isFlawed).length / all.length
  // Twice the width of the interval, because the drawn ids are random.
  const [low, high] = scan.corrected_ci
  expect(Math.abs(scan.corrected_pass_rate - truth)).toBeLessThan(high - low)
  expect(scan.raw_pass_rate).not.toBe(scan.corrected_pass_rate)
  const verdicts = await api('GET', `/criteria/${criterion.id}/verdicts?source=scan&verdict=fail&limit=5`)
  expect(verdicts.json.data).toHaveLength(5)
  const next = await api('GET', `/criteria/${criterion.id}/next_to_grade?limit=10&strategy=balanced`)
  expect(next.json.strategy).toBe('balanced')
  expect(next.json.data).toHaveLength(10)
  expect(next.json.data[0]).not.toHaveProperty('judge_verdict')
  const again = await api('GET', `/criteria/${criterion.id}/next_to_grade?limit=10&strategy=balanced`)
  expect(again.json).toEqual(next.json)
  const planned = await api('GET', `/criteria/${criterion.id}/next_to_grade?limit=1&strategy=plan`)
  expect(planned.json).toMatchObject({ strategy: 'plan', plan: { object: 'criterion.grading_plan', chance: 0.8 } })
  expect(planned.json.plan).toMatchObject({ seconds_per_grade: 15, seconds_per_grade_from: 'assumed' })
  // A grade of a listed exchange has the sampling of its draw; one that people picked has none and does not count.
  const [listed] = next.json.data
  const drawn = await api('POST', '/labels', { log_id: listed.log_id, label: 'pass', criterion_id: criterion.id })
  expect(drawn.json.sampling).toEqual({ ...listed.sampling, method: 'judged' })
  const random = await api('GET', `/criteria/${criterion.id}/next_to_grade?limit=1`)
  expect(random.json).toMatchObject({ strategy: 'random', data: [{ sampling: { method: 'random' } }] })
}, 300_000)

it('judges one exchange synchronously', async () => {
  const criterion = await createJudge(api, 'sim/judge-1-1')
  const flawed = traffic.find(({ isFlawed }) => isFlawed)
  const { status, json } = await api('POST', `/criteria/${criterion.id}/judge`, { log_id: flawed?.id })
  expect({ status, json }).toMatchObject({ status: 200, json: { verdict: 'fail', object: 'criterion.verdict' } })
  expect(json.cost_usd).toBeGreaterThan(0)
}, 180_000)

it('monitors new traffic: the configured share, each exchange once, within the cap', async () => {
  const criterion = await createJudge(api, 'sim/judge-1-1', {
    population: 'fresh',
    online_enabled: true,
    online_percent: 50,
  })
  await eventually(() => hasMonitorStarted(fleet, workspace), { withinMs: 45_000 })
  const fresh = await sendTraffic(fleet, workspace, { model: 'sim/quality-0.6', count: 60, tag: 'fresh', from: 20_000 })
  const judged = await eventually(
    async () => {
      const { json } = await api('GET', `/criteria/${criterion.id}/verdicts?source=online&limit=200`)
      const waits = await countJudgements(criterion.id, 'pending', 'leased')
      return json.total > 10 && waits === 0 ? json : null
    },
    { withinMs: 45_000, everyMs: 200 },
  )
  const ids = judged.data.map(({ log_id: id }: { log_id: string }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(fresh.map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
  expect(ids.length).toBeLessThan(50)
  const truth = new Map(fresh.map(({ id, isFlawed }) => [id, isFlawed ? 'fail' : 'pass']))
  for (const { log_id: id, verdict } of judged.data) expect(verdict).toBe(truth.get(id))
  const { json } = await api('GET', `/criteria/${criterion.id}`)
  expect(json.online_spent_usd).toBeGreaterThan(0)

  await api('PUT', `/criteria/${criterion.id}/monitor`, { online_cap_usd: json.online_spent_usd / 2 })
  // Judgements that began before the new cap still end.
  await eventually(async () => (await countJudgements(criterion.id, 'leased')) === 0, { withinMs: 45_000 })
  const capped = await api('GET', `/criteria/${criterion.id}`)
  await sendTraffic(fleet, workspace, { model: 'sim/quality-0.6', count: 20, tag: 'fresh-2', from: 21_000 })
  const after = await api('GET', `/criteria/${criterion.id}`)
  expect(after.json.online_spent_usd).toBe(capped.json.online_spent_usd)
}, 300_000)

it('leaves a correct ledger', async () => {
  expect(await ledgerAtRest(fleet, workspace)).toMatchObject({ held: 0n, violations: [] })
}, 300_000)

async function countJudgements(criterionId: string, ...states: string[]): Promise<number> {
  const uuid = criterionId.slice('crit_'.length)
  const text = 'SELECT count(*)::int AS count FROM judgement WHERE criterion_id = $1::uuid AND state::text = ANY($2)'
  const [row] = await query(text, [uuid, states])
  return Number(row?.count)
}

async function query(text: string, values: readonly unknown[]): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: fleet.databaseUrl })
  await client.connect()
  try {
    return (await client.query(text, [...values])).rows
  } finally {
    await client.end()
  }
}
