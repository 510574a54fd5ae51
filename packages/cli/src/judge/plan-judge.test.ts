import { ioFor, runJudgeCommand } from '../api/run-against.fixture.ts'
import { type ScriptedApi, startScriptedApi } from '../api/scripted-api.fixture.ts'

const id = 'crit_01980000000070008000000000000001'
const estimate = {
  object: 'criterion.calibration_estimate',
  rows: { total: 200, fail: 60, pass: 140, ties: 0, picked: 0, judged_twice: 20, incomplete: 0, unanswered: 0 },
  estimated_cost_usd: 0.25,
  plan: {
    bar: 0.9,
    min_grades_for_trust: 35,
    min_grades_to_act: 51,
    chances: [
      {
        true_rate: 0.97,
        tpr_can_act: 0.25,
        tnr_can_act: 0.75,
        grades_needed_to_act: 140,
        tpr_proven: 0.5,
        tnr_proven: 0.9,
        grades_needed: 96,
      },
    ],
    next_grades: null,
    grader_ceiling: null,
  },
}
const grading = {
  object: 'criterion.grading_plan',
  open_sides: ['tpr'],
  chance: 0.8,
  grades_needed: 14,
  reason: null,
  order: [
    { stratum: 'f/judged_fail', grades: 4 },
    { stratum: 'f/judged_pass', grades: 10 },
  ],
  curve: [{ grades: 14, p_trustworthy: 0.9, p_can_act: 0.815 }],
  seconds_per_grade: 15,
  seconds_per_grade_from: 'assumed',
  minutes_needed: 3.5,
  cost_usd_needed: 0.12,
}

let api: ScriptedApi
beforeEach(async () => {
  api = await startScriptedApi()
  api.answers(`POST /v1/criteria/${id}/calibrate`, { body: estimate })
})
afterEach(() => api.stop())

const listed = (plan: unknown) =>
  api.answers(`GET /v1/criteria/${id}/next_to_grade`, { body: { object: 'list', data: [], strategy: 'plan', plan } })

it('shows the grades, the chance and the cost, and starts nothing', async () => {
  listed(grading)
  const { code, out } = await runJudgeCommand(ioFor(api), ['plan', id, '--strategy', 'plan'])
  expect(code).toBe(0)
  expect(api.seen.map(({ line, body }) => [line.split('?')[0], body])).toEqual([
    [`POST /v1/criteria/${id}/calibrate`, { dry_run: true }],
    [`GET /v1/criteria/${id}/next_to_grade`, null],
  ])
  expect(out).toMatch(/25\.0 % +75\.0 %/)
  expect(out).toMatch(/50\.0 % +90\.0 %/)
  expect(out).toMatch(/^judged twice +20 of them/m)
  expect(out).not.toMatch(/people allow/)
  expect(out).toMatch(/^cost +\$0\.2500/m)
  expect(out).toMatch(/^14 +90\.0 % +81\.5 %/m)
  expect(out).toMatch(/: 14 \(plan: 4 of judged_fail, 10 of judged_pass\)/)
  expect(out).toMatch(/about 4 min \(15 s each, assumed\)/)
  expect(out).toMatch(/\$0\.1200/)
})

it('shows how much graders who disagree allow, against the bar', async () => {
  const grader_ceiling = { ceiling: 0.8, ci: [0.7, 0.88] }
  api.answers(`POST /v1/criteria/${id}/calibrate`, {
    body: { ...estimate, plan: { ...estimate.plan, grader_ceiling } },
  })
  listed(grading)
  const { out } = await runJudgeCommand(ioFor(api), ['plan', id])
  expect(out).toMatch(/people allow +80\.0 % \(70\.0 to 88\.0\) +below the bar of 90\.0 %/)
})

it('says why no number is known', async () => {
  const unknown = { grades_needed: null, reason: 'not_measured', minutes_needed: null, cost_usd_needed: null }
  listed({ ...grading, ...unknown, order: [], curve: [] })
  const { code, out } = await runJudgeCommand(ioFor(api), ['plan', id])
  expect([code, /unknown/.test(out)]).toEqual([0, true])
})

it('prints both plans as JSON', async () => {
  listed(grading)
  const { out } = await runJudgeCommand(ioFor(api), ['plan', id, '--json'])
  expect(JSON.parse(out)).toEqual({ calibration: estimate, strategy: 'plan', grading })
})

it('refuses an id of something else', async () => {
  const { code } = await runJudgeCommand(ioFor(api), ['plan', 'eval_1'])
  expect([code, api.seen]).toEqual([2, []])
})
