import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import {
  type Api,
  apiOf,
  calibrate,
  createJudge,
  gradeListed,
  gradeTruly,
  type Json,
  type LoggedExchange,
  sendTraffic,
  untilOver,
} from './judged-traffic.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

/* What is no proof is not accepted as one: each test is a way in which an earlier release was convinced. */

const prompts = 120
const tag = 'support'

let fleet: SharedFleet
let workspace: DemoWorkspace
let api: Api
let traffic: readonly LoggedExchange[]
/** Judges by their model, all trustworthy and able to act on single answers. */
const judges: Record<'right' | 'first', Json> = { right: null, first: null }

beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
  traffic = await sendTraffic(fleet, workspace, { model: 'sim/quality-0.5', count: 300, tag: 'graded' })
  await gradeTruly(api, traffic)
  for (const [name, model] of [
    ['right', 'sim/judge-1-1'],
    ['first', 'sim/judge-first'],
  ] as const) {
    judges[name] = await createJudge(api, model, { population: 'graded' })
    expect(await calibrate(api, judges[name].id)).toMatchObject({ trust: 'trustworthy', can_act: true })
  }
  await sendTraffic(fleet, workspace, { model: 'sim/quality-0.7', count: prompts, tag, from: 50_000 })
}, 240_000)

/** Runs an eval of a model that loses against the baseline, unless told otherwise. */
async function evaluate(more: object): Promise<Json> {
  const { status, json, text } = await api('POST', '/evals', {
    name: 'Support',
    baseline_model: 'sim/quality-0.9',
    candidate_models: ['sim/quality-0.3'],
    sample_count: prompts,
    sample_filters: { tag },
    ...more,
  })
  if (status !== 200) throw new Error(`${status}: ${text}`)
  const done = await untilOver(api, `/evals/${json.id}`, 120_000)
  expect(done).toMatchObject({ status: 'DONE' })
  return done
}

const put = (name: string, target: string) =>
  api('PUT', '/aliases', { name, target_model: target, require_evidence: true })

/** The refusal of a move, by the details of the eval that does not support it. */
async function refused(name: string, { from, to }: { readonly from: string; readonly to: string }, code: string) {
  expect((await put(name, from)).status).toBe(200)
  const { status, json } = await put(name, to)
  expect([status, json.error.code]).toEqual([412, code])
  expect((await api('GET', `/aliases/${name}`)).json.target_model).toBe(from)
  return json.error.details
}

const evalsIn = ({ missing }: Json) => missing.find(({ requirement }: Json) => requirement === 'eval').evals

describe('an alias with the evidence policy', () => {
  it.each([
    ['first', ['judge_unreliable', 'judge_biased']],
    ['unmeasured', ['judge_unmeasured', 'judge_unreliable', 'judge_biased']],
  ] as const)(
    'does not move because of an eval whose judge always names the first answer (%s)',
    async (kind, problems) => {
      const judge = kind === 'first' ? judges.first : await createJudge(api, 'sim/judge-first', { population: 'none' })
      const move = { from: `sim/quality-0.9${kind === 'first' ? '' : '1'}`, to: 'sim/quality-0.3' }
      const done = await evaluate({ criterion_id: judge.id, baseline_model: move.from })
      expect(done.report.candidates[move.to]).toMatchObject({
        win_rate: 0.5,
        judge_unreliable: true,
        judge_biased: true,
      })
      expect(done.evidence[move.to]).toMatchObject({ problems })
      const found = evalsIn(await refused(`first-${kind}`, move, 'precondition_failed'))
      expect(found).toMatchObject([{ eval_id: done.id, problems }])
      const gate = await api('GET', `/evals/${done.id}/gate?min_win_rate=0.45`)
      expect(gate.status).toBe(412)
      expect(gate.json.error.details.checks).toContainEqual(
        expect.objectContaining({ name: 'require_reliable_judge', passed: false }),
      )
    },
    120_000,
  )

  it('is told of a judge that prefers the answer that is shown first though it is consistent, and of the length of answers', async () => {
    const [from, to] = ['sim/small', 'sim/large']
    const done = await evaluate({
      rubric: 'The answer is right.',
      judge_model: 'sim/judge-first-0.3',
      baseline_model: from,
      candidate_models: [to],
    })
    const found = done.report.candidates[to]
    expect(found).toMatchObject({ judge_biased: true, judge_unreliable: false })
    expect(found.position_bias).toBeGreaterThan(0.15)
    expect(found.position_bias_p).toBeLessThan(1e-4)
    expect(found.consistency_rate).toBeGreaterThan(0.6)
    // It answers in a sentence or two more, for which the judge does not prefer it.
    expect(found.length_diff).toBeGreaterThan(20)
    const [low, high] = found.length_controlled_ci
    expect(found.length_controlled_win_rate).toBeGreaterThan(low)
    expect(found.length_controlled_win_rate).toBeLessThan(high)
    expect(done.evidence[to].problems).toContain('judge_biased')
    const details = await refused('biased', { from, to }, 'precondition_failed')
    expect(evalsIn(details)).toMatchObject([{ eval_id: done.id }])
  }, 120_000)

  it('does not move because of a few samples, however clear they are', async () => {
    // Every answer of one is flawed and none of the other: with 0.01 and 0.99, two of ten drawn prompts may be ties.
    const move = { from: 'sim/quality-0', to: 'sim/quality-1' }
    const more = { criterion_id: judges.right.id, baseline_model: move.from, candidate_models: [move.to] }
    const done = await evaluate({ ...more, sample_count: 10 })
    expect(done.report.candidates[move.to].win_rate).toBe(1)
    expect(done.evidence[move.to]).toMatchObject({ problems: ['too_few_samples'], attempt: 1 })
    expect(evalsIn(await refused('few', move, 'precondition_failed'))).toMatchObject([
      { problems: ['too_few_samples'] },
    ])
  }, 300_000)

  it('does not move to a model that gives no answer where it would lose', async () => {
    const move = { from: 'sim/quality-0.92', to: 'sim/fail-500' }
    const done = await evaluate({
      criterion_id: judges.right.id,
      baseline_model: move.from,
      candidate_models: [move.to],
      sample_count: 40,
    })
    expect(done.report.candidates[move.to]).toMatchObject({ lost_by_error: 40, win_rate: 0 })
    await refused('silent', move, 'precondition_failed')
  }, 300_000)

  it('moves because of an eval on fresh prompts, and not when earlier evals have used them up', async () => {
    const [from, to] = ['sim/quality-0.5', 'sim/quality-0.97']
    await sendTraffic(fleet, workspace, { model: 'sim/quality-0.7', count: 60, tag: 'fresh', from: 70_000 })
    const own = {
      criterion_id: judges.right.id,
      baseline_model: from,
      sample_count: 60,
      sample_filters: { tag: 'fresh' },
    }
    const first = (await evaluate({ ...own, candidate_models: [to] })).evidence[to]
    expect(first).toMatchObject({ problems: [], attempt: 1, prompt_uses: 0, used_up: 0, is_exhausted: false })
    expect(first.win_rate_low).toBe(first.win_rate_low_if_fresh)
    expect((await put('worn', from)).status).toBe(200)
    expect((await put('worn', to)).status).toBe(200)

    // Comparisons of other models use the same prompts.
    const others = ['sim/quality-0.61', 'sim/quality-0.62', 'sim/quality-0.63']
    for (let uses = 1; uses <= first.prompt_uses_max + 6; uses += 3)
      await evaluate({ ...own, candidate_models: others })
    const last = await evaluate({ ...own, baseline_model: 'sim/quality-0.501', candidate_models: [to] })
    const worn = last.evidence[to]
    expect(worn.prompt_uses).toBeGreaterThan(first.prompt_uses_max)
    expect(worn).toMatchObject({ problems: [], is_exhausted: true, attempt: 1 })
    expect(worn.used_up).toBeGreaterThan(0.5)
    expect(worn.wear).toContainEqual({ prompt_uses: worn.prompt_uses, win_rate_low: worn.win_rate_low })
    expect(worn.win_rate_low_if_fresh).toBeGreaterThan(0.5)
    const details = await refused('worn-out', { from: 'sim/quality-0.501', to }, 'evidence_exhausted')
    expect(details).toMatchObject({ prompt_uses: worn.prompt_uses, prompts_needed: worn.prompts_needed })
    const again = await evaluate({ ...own, candidate_models: [to] })
    expect(again.evidence[to]).toMatchObject({ attempt: 2, is_exhausted: true })
  }, 300_000)
})

describe('a judge that finds half of the fails', () => {
  let own: Api
  let judge: Json
  let exchanges: readonly LoggedExchange[]
  /** By the id of the exchange. */
  const verdicts = new Map<string, string>()
  const isRight = ({ id, isFlawed }: LoggedExchange) => verdicts.get(id) === (isFlawed ? 'fail' : 'pass')

  beforeAll(async () => {
    const place = await workspaceWith(fleet, { loggingEnabled: true })
    own = apiOf(fleet, place)
    exchanges = await sendTraffic(fleet, place, { model: 'sim/quality-0.6', count: 400, tag: 'graded' })
    judge = await createJudge(own, 'sim/judge-0.5-0.98', { population: 'graded' })
    const { json } = await own('POST', `/criteria/${judge.id}/scan`, { sample_count: 400 })
    expect(await untilOver(own, `/criteria/${judge.id}/scans/${json.id}`)).toMatchObject({ judged: 400 })
    for (let offset = 0; offset < 400; offset += 100) {
      const page = await own('GET', `/criteria/${judge.id}/verdicts?limit=100&offset=${offset}`)
      for (const { log_id: id, verdict } of page.json.data) verdicts.set(id, verdict)
    }
  }, 300_000)

  const read = async () => (await own('GET', `/criteria/${judge.id}`)).json

  it('has an interval with its true rate when people grade as many of both verdicts', async () => {
    await gradeListed(own, judge.id, { limit: 120, strategy: 'balanced', criterion_id: judge.id })
    const { json } = await own('POST', `/criteria/${judge.id}/calibrate`, {})
    const found = await untilOver(own, `/criteria/${judge.id}/calibrations/${json.id}`)
    expect(found).toMatchObject({ status: 'DONE', n_picked: 0, can_act: false })
    const flawed = exchanges.filter(({ isFlawed }) => isFlawed)
    const truth = flawed.filter(isRight).length / flawed.length
    const [low, high] = found.tpr_ci
    // By counting graded rows alike, as if they had been drawn alike, the rate would be too high.
    const { tp, fn } = found.confusion
    expect(tp / (tp + fn)).toBeGreaterThan(truth)
    // Twice the width of the interval, because the draw is random.
    expect(Math.abs(found.tpr - truth)).toBeLessThan(high - low)
    expect(['misaligned', 'under-measured', 'borderline']).toContain((await read()).trust)
  }, 300_000)

  it('is not trusted because of grades that a person picked where it is right, whatever the person says of the draw', async () => {
    const other = await createJudge(own, 'sim/judge-0.5-0.98', {
      population: 'graded',
      judge_prompt: judge.judge_prompt,
    })
    const picked = exchanges.filter(isRight)
    expect(picked.filter(({ isFlawed }) => isFlawed).length).toBeGreaterThan(50)
    await gradeTruly(own, picked, { criterion_id: other.id, sampling: { method: 'random', probability: 1 } })
    const calibrated = async (more: object) => {
      const { json } = await own('POST', `/criteria/${other.id}/calibrate`, more)
      return untilOver(own, `/criteria/${other.id}/calibrations/${json.id}`)
    }
    expect(await calibrated({ include_picked: true })).toMatchObject({
      tpr: 1,
      n_picked: picked.length,
      can_act: false,
      cannot_act_reason: expect.any(String),
    })
    const gated = await own('PUT', '/aliases', {
      name: 'gated',
      target_model: 'sim/small',
      canary_model: 'sim/large',
      canary_percent: 10,
      gate_mode: 'auto',
      gate_criterion_id: other.id,
    })
    expect(gated.status).not.toBe(200)
  }, 300_000)
})
