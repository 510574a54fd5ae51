import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import {
  type Api,
  apiOf,
  calibrate,
  createJudge,
  gradeListed,
  gradeTruly,
  sendTraffic,
  untilOver,
} from './judged-traffic.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let workspace: DemoWorkspace
let api: Api

beforeAll(async () => {
  fleet = await shareFleet()
  workspace = await workspaceWith(fleet, { loggingEnabled: true })
  api = apiOf(fleet, workspace)
}, 300_000)

it('shows the next step of a workspace at each stage', async () => {
  const next = async () => {
    const { json } = await api('GET', '/setup/status')
    return [json.next.action, json.grades, json.judges]
  }
  const none = {
    total: 0,
    calibrated: 0,
    trustworthy: 0,
    can_act: 0,
    fail_grades_needed: 0,
    act_fail_grades_needed: null,
    act_pass_grades_needed: null,
    cannot_act_reason: null,
  }
  const toAct = (fails: number, passes: number) => {
    return { act_fail_grades_needed: fails, act_pass_grades_needed: passes, cannot_act_reason: expect.any(String) }
  }
  expect(await next()).toEqual(['send_traffic', { total: 0, needed_to_calibrate: 20 }, none])
  await sendTraffic(fleet, workspace, { model: 'sim/quality-0.5', count: 80 })
  expect((await next())[0]).toBe('create_judge')
  const criterion = await createJudge(api, 'sim/judge-1-1')
  const first = { ...none, total: 1, ...toAct(51, 51) }
  expect(await next()).toEqual(['grade', { total: 0, needed_to_calibrate: 20 }, first])
  const fails = await gradeListed(api, criterion.id, { limit: 30 })
  expect((await next())[0]).toBe('calibrate')
  await calibrate(api, criterion.id)
  const [action, grades, judges] = await next()
  expect([action, judges]).toEqual([
    'grade_fails',
    { ...none, total: 1, calibrated: 1, fail_grades_needed: 35 - fails, ...toAct(51 - fails, 21 + fails) },
  ])
  expect(grades.needed_to_calibrate).toBe(0)
  const allFails = fails + (await gradeListed(api, criterion.id))
  await calibrate(api, criterion.id)
  expect((await next())[0]).toBe(allFails >= 35 && allFails <= 45 ? 'run_eval' : 'grade_fails')
}, 300_000)

it('suggests judges from failed grades, and creates none', async () => {
  const traffic = await sendTraffic(fleet, workspace, { model: 'sim/quality-0.5', count: 20, from: 1_000 })
  await gradeTruly(api, traffic, { rationale: 'It contradicts itself.' })
  const before = await api('GET', '/criteria')
  const started = await api('POST', '/criteria/suggest', { max_suggestions: 2, model: 'sim/large' })
  expect(started).toMatchObject({ status: 202, json: { object: 'criterion.suggestions', suggestions: [] } })
  const done = await untilOver(api, `/criteria/suggest/${started.json.id}`)
  expect(done).toMatchObject({ status: 'DONE', error: null })
  expect(done.evidence.graded_fails).toBeGreaterThan(5)
  expect(done.suggestions.length).toBeGreaterThan(0)
  for (const { judge_prompt, evidence_log_ids } of done.suggestions) {
    expect(judge_prompt).not.toBe('')
    expect(evidence_log_ids.length).toBeGreaterThan(0)
  }
  expect(done.cost_usd).toBeGreaterThan(0)
  expect((await api('GET', '/criteria')).json.total).toBe(before.json.total)
  const { name, description, judge_prompt } = done.suggestions[0]
  const taken = await createJudge(api, 'sim/judge', { name, description, judge_prompt, source: 'assist_suggested' })
  expect(taken).toMatchObject({ source: 'assist_suggested', trust: 'unmeasured' })
}, 300_000)

it('improves a prompt on one half of the grades, measures it on the other, and does not apply it', async () => {
  const criterion = await createJudge(api, 'sim/judge-0.7-0.7')
  const calibration = await calibrate(api, criterion.id)
  const started = await api('POST', `/criteria/${criterion.id}/improve`, { max_iterations: 2, model: 'sim/large' })
  expect(started.status).toBe(202)
  const done = await untilOver(api, `/criteria/${criterion.id}/improvements/${started.json.id}`, 60_000)
  expect(done).toMatchObject({ status: 'DONE', error: null })
  expect(done.cost_usd).toBeGreaterThan(0)
  if (done.proposed_judge_prompt !== null) {
    expect(done.diff).toContain('-The answer contains a mistake.')
    const { holdout_metrics: proposed, current_holdout_metrics: present } = done
    expect(proposed.tpr + proposed.tnr).toBeGreaterThan(present.tpr + present.tnr)
    expect(proposed.rows).toBe(present.rows)
  }
  const { json } = await api('GET', `/criteria/${criterion.id}`)
  expect(json).toMatchObject({ judge_prompt: criterion.judge_prompt, tpr: calibration.tpr })
  const thin = await createJudge(api, 'sim/judge', { population: 'nobody' })
  const refused = await api('POST', `/criteria/${thin.id}/improve`, {})
  expect(refused).toMatchObject({ status: 412, json: { error: { code: 'precondition_failed' } } })
}, 300_000)
