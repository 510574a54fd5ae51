import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import { createPgCriteria } from '../criteria/pg-criteria.ts'
import { rankIn } from '../labels/grading-frames.ts'
import { createPgGrades } from '../labels/pg-grades.ts'
import { type ReviewApp, startReviewApp, uuidOfRound } from './review-app.fixture.ts'
import { type OpenedRound, type ReviewSteps, reviewSteps, runMessages } from './review-steps.fixture.ts'

let app: ReviewApp
let steps: ReviewSteps
let owner: Identity
let ann: Identity
let bob: Identity
let workspaceId: string
beforeAll(async () => {
  app = await startReviewApp()
})
afterAll(() => app.stop())
beforeEach(() => {
  steps = reviewSteps(app)
  ;({ owner, ann, bob, workspaceId } = steps)
})

const runJudge = () => app.addJudge(owner, { name: 'Runs', unit: 'trace' })
const roundOf = async ({ id }: OpenedRound) => (await app.send(owner, 'get', `/session/review/rounds/${id}`)).body

async function openRunRound(count: number, more: object = {}): Promise<OpenedRound> {
  steps.addRuns(count)
  return steps.openRoundOf(await runJudge(), more)
}

it('gives out runs as one conversation and nothing else, and stores their grades as drawn', async () => {
  const round = await openRunRound(20)
  expect(await roundOf(round)).toMatchObject({ unit: 'trace', status: 'open', frame_rows: 20, not_seen: 0 })
  const held = await steps.claim(ann, round.id)
  expect(held.items).toHaveLength(5)
  for (const item of held.items) {
    expect(Object.keys(item).toSorted()).toEqual(['id', 'messages', 'response', 'tools'])
    expect(item).toMatchObject({ messages: runMessages, response: { role: 'assistant' } })
  }
  const seen = await steps.grade(ann, held, 0, { seen_all: true })
  expect(seen.body).toMatchObject({ blind: true, batch_complete: false })
  await steps.grade(ann, held, 1, { seen_all: false })
  await steps.grade(ann, held, 2)
  expect((await roundOf(round)).not_seen).toBe(2)
  const [label] = await steps.labelsOf(round.judge)
  expect(label).toMatchObject({
    unit: 'trace',
    log_id: null,
    trace_id: expect.stringMatching(/^run \d+$/),
    blind: true,
    source: 'review_queue',
    sampling: { method: 'round', probability: expect.any(Number), stratum: expect.stringContaining('/judged_') },
    snapshot: { messages: runMessages },
  })
  await steps.grade(ann, held, 3)
  await steps.grade(ann, held, 4)
  const batch = await app.send(ann, 'get', `/session/review/rounds/${round.id}/batches/${held.batch}`)
  expect(batch.status).toBe(200)
  for (const item of batch.body.items) {
    expect(item).toMatchObject({ log_id: null, trace_id: expect.stringMatching(/^run \d+$/), verdict: item.label })
  }
})

it('estimates from the runs of all strata, and settles disagreements by a third person', async () => {
  const round = await openRunRound(20, { double_percent: 100 })
  const gradeAll = async (grader: Identity, more: object) => {
    for (let held = await steps.claim(grader, round.id); held.id !== null; held = await steps.claim(grader, round.id)) {
      await steps.gradeAll(grader, held, more)
    }
  }
  await gradeAll(ann, {})
  const { evidence, graded } = await roundOf(round)
  expect([graded, evidence]).toEqual([20, expect.objectContaining({ tpr: 1, tnr: 1 })])
  await gradeAll(bob, { label: 'pass' })
  const open = await app.send(owner, 'get', `/session/review/adjudications?criterion_id=${round.judge}`)
  expect(open.body.total).toBe(4)
  for (const { id, messages } of open.body.data) {
    expect(messages).toEqual(runMessages)
    const settled = await app.send(owner, 'post', `/session/review/adjudications/${id}`, { label: 'fail' })
    expect(settled.body).toMatchObject({ label: 'fail', settled: true })
  }
  const calibration = await app.send(owner, 'post', `/v1/criteria/${round.judge}/calibrate`, { dry_run: true })
  expect([calibration.status, calibration.body.rows]).toEqual([
    200,
    expect.objectContaining({ total: 20, fail: 4, picked: 0, incomplete: 0, ties: 0 }),
  ])
})

it('has the steps graded that the judge judged, also when the run has continued', async () => {
  const round = await openRunRound(10)
  const held = await steps.claim(ann, round.id)
  for (let run = 0; run < 10; run += 1) app.log.add(workspaceId, ['Five.'], { trace_id: `run ${run}` })
  const graded = await steps.grade(ann, held, 0)
  expect(graded.status).toBe(201)
  const [label] = await steps.labelsOf(round.judge)
  expect(label?.snapshot.response).toMatchObject({ content: held.items[0]?.response.content })
})

it('passes over runs of which a step was deleted', async () => {
  const judge = await runJudge()
  const [kept, lost] = ['run a', 'run b']
  app.log.add(workspaceId, ['Four.'], { trace_id: kept })
  const [, second] = ['Three (flawed).', 'Four.'].flatMap((text) =>
    app.log.add(workspaceId, [text], { trace_id: lost }),
  )
  const round = await steps.openRoundOf(judge)
  app.log.delete(second ?? '')
  const held = await steps.claim(ann, round.id)
  expect(held.items).toHaveLength(1)
  await steps.grade(ann, held, 0)
  expect((await steps.labelsOf(judge)).map(({ trace_id }) => trace_id)).toEqual([kept])
})

it('does not count a run that is graded singly as one of the round, whatever the grade says', async () => {
  const round = await openRunRound(10)
  const held = await steps.claim(ann, round.id)
  await steps.gradeAll(ann, held)
  const [known] = await steps.labelsOf(round.judge)
  const before = (await roundOf(round)).evidence
  const { status, body } = await app.send(bob, 'post', '/session/labels', {
    unit: 'trace',
    trace_id: known?.trace_id,
    criterion_id: round.judge,
    label: known?.label === 'pass' ? 'fail' : 'pass',
    blind: true,
    sampling: known?.sampling,
  })
  expect([status, body.sampling]).toEqual([201, { method: 'picked', probability: null, stratum: null }])
  expect((await roundOf(round)).evidence).toEqual(before)
})

it('counts a run that is left out as an error, until two people cannot decide it', async () => {
  const { id, judge } = await openRunRound(20)
  const held = await steps.claim(ann, id)
  const unanswered = async () => {
    const criterion = await createPgCriteria(app.pool).get({ workspaceId, id: uuidOf('criterion', judge) ?? '' })
    if (criterion === null) throw new Error('the judge was created')
    return (await createPgGrades(app.pool).unanswered(criterion, app.clock.now())).map(({ itemKey }) => itemKey)
  }
  const { rows } = await app.operator.query<{ id: string; log_id: string; trace_id: string; stratum: string }>(
    `SELECT r.id, i.log_id, i.trace_id, i.stratum FROM review_item r
     JOIN grading_frame_item i ON i.frame_id = r.round_id AND i.log_id = r.log_id WHERE r.round_id = $1`,
    [uuidOfRound(id)],
  )
  // The first run of a stratum of which two runs were given out at least.
  const [stratum] = [...Map.groupBy(rows, (row) => row.stratum).values()].filter(({ length }) => length > 1)
  const rank = rankIn(uuidOfRound(id))
  const [left] = (stratum ?? []).toSorted((a, b) => (rank(a.log_id) < rank(b.log_id) ? -1 : 1))
  for (const [place, item] of held.items.entries()) {
    if (uuidOf('reviewItem', item.id) !== left?.id) await steps.grade(ann, held, place)
  }
  expect(await unanswered()).toEqual([])
  app.clock.advance(3_600_000)
  expect(await unanswered()).toEqual([left?.trace_id])
  const cannotDecide = async (by: Identity) => steps.gradeAll(by, await steps.claim(by, id), { label: 'unsure' })
  await cannotDecide(bob)
  expect(await unanswered()).toContain(left?.trace_id)
  await cannotDecide(app.person('member', workspaceId))
  expect(await unanswered()).not.toContain(left?.trace_id)
})

it('refuses what runs do not have, and judges of different units', async () => {
  const [runs, single] = [await runJudge(), await app.addJudge(owner)]
  const open = (more: object) => app.send(owner, 'post', '/session/review/rounds', { dry_run: true, ...more })
  steps.addRuns(4)
  const refused = [
    await open({ criterion_id: runs, challenger_id: single }),
    await open({ criterion_id: runs, filters: { has_tool_calls: true } }),
    await open({ criterion_id: runs, frame_rows: 2_001 }),
  ]
  expect(refused.map(({ status, body }) => [status, body.error.code, body.error.param])).toEqual([
    [400, 'unsupported_unit', 'challenger_id'],
    [400, 'invalid_request', 'filters.has_tool_calls'],
    [400, 'invalid_request', 'frame_rows'],
  ])
  const priced = await open({ criterion_id: runs, filters: { tag: 'chat', exclude_tags: ['playground'] } })
  expect([priced.status, priced.body]).toEqual([
    200,
    expect.objectContaining({ matched: 4, frame_rows: 4, verdicts: 4 }),
  ])
  expect(priced.body.judge_cost_usd).toBeGreaterThan(0)
})
