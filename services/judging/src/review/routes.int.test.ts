import { randomUUID } from 'node:crypto'
import type { Identity } from '@ratchet/contracts/identity'
import { type ReviewApp, secret, startReviewApp, uuidOfRound } from './review-app.fixture.ts'
import { answers, type Claimed, type ReviewSteps, reviewSteps, truthOf } from './review-steps.fixture.ts'

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
  ;({ workspaceId, owner, ann, bob } = steps)
})

describe('a round', () => {
  it('has a price before it is opened, buys each verdict once, and freezes what was judged', async () => {
    const [judge, challenger] = [await app.addJudge(owner), await app.addJudge(owner, { judge_model: 'sim/other' })]
    app.log.add(workspaceId, answers(40))
    const body = { criterion_id: judge, challenger_id: challenger, frame_rows: 30 }
    const priced = await app.send(owner, 'post', '/session/review/rounds', { ...body, dry_run: true })
    expect(priced.body).toMatchObject({ object: 'review.round_estimate', matched: 40, frame_rows: 30, verdicts: 60 })
    expect(priced.body.judge_cost_usd).toBeGreaterThan(0)
    const opened = await app.send(owner, 'post', '/session/review/rounds', body)
    const judged: string[] = []
    await app.prepare(({ criterionId, text }) => {
      judged.push(`${criterionId} ${text}`)
      return criterionId === judge ? truthOf(text) : 'pass'
    })
    expect([judged.length, new Set(judged).size]).toEqual([60, 60])
    const read = await app.send(ann, 'get', `/session/review/rounds/${opened.body.id}`)
    expect(read.body).toMatchObject({ status: 'open', frame_rows: 30, challenger_id: challenger, evidence: null })
    const strata = read.body.strata.map(({ stratum, rows }: { stratum: string; rows: number }) => [stratum, rows])
    expect(strata).toEqual([
      ['judged_fail_challenger_pass', 6],
      ['judged_pass_challenger_pass', 24],
    ])
    app.log.add(workspaceId, answers(5))
    const again = await app.send(ann, 'get', '/session/review/rounds')
    expect(again.body).toMatchObject({ total: 1, data: [{ id: opened.body.id, frame_rows: 30 }] })
  })

  it('forms six strata by risk without a challenger', async () => {
    const { id } = await steps.openRound({}, 30)
    const { body } = await app.send(ann, 'get', `/session/review/rounds/${id}`)
    expect(body.strata).toHaveLength(6)
    expect(body.strata.reduce((sum: number, { rows }: { rows: number }) => sum + rows, 0)).toBe(30)
  })

  it('fails when its maximum does not buy all verdicts', async () => {
    const judge = await app.addJudge(owner)
    app.log.add(workspaceId, answers(20))
    const body = { criterion_id: judge, max_cost_usd: 0.01 }
    const opened = await app.send(owner, 'post', '/session/review/rounds', body)
    await app.prepare(({ text }) => (text.startsWith('Four 7') ? 'over_cap' : 'pass'))
    const read = await app.send(owner, 'get', `/session/review/rounds/${opened.body.id}`)
    expect(read.body).toMatchObject({ status: 'failed', error: expect.stringContaining('1 verdicts') })
    const claimed = await app.send(ann, 'post', `/session/review/rounds/${opened.body.id}/claim`, {})
    expect([claimed.status, claimed.body.error.code]).toEqual([409, 'conflict'])
  })

  it('gives out nothing when it is closed, but takes the grades of what people hold', async () => {
    const { id } = await steps.openRound()
    const held = await steps.claim(ann, id)
    const closed = await app.send(owner, 'post', `/session/review/rounds/${id}/close`)
    expect([closed.status, closed.body.status]).toEqual([200, 'closed'])
    expect((await app.send(ann, 'post', `/session/review/rounds/${id}/claim`, {})).status).toBe(409)
    expect((await steps.grade(ann, held, 0)).status).toBe(201)
  })

  it('is refused for a filter outside of the population', async () => {
    const judge = await app.addJudge(owner, { population: 'other' })
    const body = { criterion_id: judge, filters: { tag: 'chat' } }
    const refused = await app.send(owner, 'post', '/session/review/rounds', body)
    expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([
      400,
      'invalid_request',
      'filters.tag',
    ])
  })
})

describe('grading', () => {
  it('shows what is to be graded and nothing else, until the batch is complete', async () => {
    const { id } = await steps.openRound({ double_percent: 30 })
    await steps.gradeAll(bob, await steps.claim(bob, id))
    const seen: string[] = []
    const before = await app.send(ann, 'get', `/session/review/rounds/${id}`)
    const taken = await app.send(ann, 'post', `/session/review/rounds/${id}/claim`, {})
    seen.push(taken.text)
    const held: Claimed = taken.body
    for (const place of held.items.keys()) {
      if (place > 0) expect((await app.send(ann, 'get', `/session/review/rounds/${id}/batches/1`)).status).toBe(409)
      const graded = await steps.grade(ann, held, place)
      seen.push(graded.text)
      const during = await app.send(ann, 'get', `/session/review/rounds/${id}`)
      const { evidence, strata } = during.body
      // Nothing that depends on verdicts moves between two grades of a batch.
      if (place < held.items.length - 1) expect({ evidence, strata }).toEqual(shown(before.body))
    }
    const words = ['verdict', 'explanation', 'model', 'alias', 'canary', 'cost', 'stratum', 'judged_', 'latency']
    const secrets = [...words, 'double', 'kind', 'log_id', 'acme', bob.userId, '0.0123', '1234', 'log_']
    expect(secrets.filter((word) => seen.join('\n').includes(word))).toEqual([])
    const after = await app.send(ann, 'get', `/session/review/rounds/${id}`)
    expect(after.body.strata).not.toEqual(before.body.strata)
    const revealed = await app.send(ann, 'get', `/session/review/rounds/${id}/batches/1`)
    expect(revealed.body.items).toHaveLength(10)
    expect(revealed.body.items[0]).toMatchObject({
      verdict: expect.stringMatching(/pass|fail/),
      explanation: 'Because.',
    })
    expect(revealed.body.evidence).toMatchObject({ trust: expect.any(String) })
  })

  const shown = ({ evidence, strata }: { evidence: unknown; strata: unknown }) => ({ evidence, strata })

  it('stores each grade once, blind, with the sampling of its stratum', async () => {
    const { id, judge } = await steps.openRound()
    const held = await steps.claim(ann, id)
    const sent = { grade_id: randomUUID(), reasons: [`has ${secret}`], rationale: 'Wrong.' }
    const [first, second] = await Promise.all([steps.grade(ann, held, 0, sent), steps.grade(ann, held, 0, sent)])
    const third = await steps.grade(ann, held, 0, sent)
    expect([first.status, second.status, third.status, third.body]).toEqual([201, 201, 201, first.body])
    const labels = await steps.labelsOf(judge)
    expect(labels).toHaveLength(1)
    expect(labels[0]).toMatchObject({
      blind: true,
      source: 'review_queue',
      grader_id: ann.userId,
      rationale: 'has [redacted]\nWrong.',
      sampling: { method: 'round', stratum: expect.stringContaining(`${uuidOfRound(id)}/judged_`) },
    })
    expect(labels[0]?.sampling?.probability).toBeLessThanOrEqual(1)
    const other = await steps.grade(ann, held, 1, { grade_id: sent.grade_id })
    expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict'])
    expect(app.notices.at(-1)).toMatchObject({ topic: `round:${id}`, id, workspaceId })
  })

  it('lets a later grade of the same item supersede the first one, and keeps unsure ones out of the judge', async () => {
    const { id, judge } = await steps.openRound()
    const held = await steps.claim(ann, id)
    await steps.grade(ann, held, 0, { label: 'pass' })
    app.clock.advance(6_000)
    await steps.grade(ann, held, 0, { label: 'fail' })
    await steps.grade(ann, held, 1, { label: 'unsure' })
    const labels = await steps.labelsOf(judge)
    expect(labels.map(({ label, superseded_by }) => [label, superseded_by])).toEqual([
      ['fail', null],
      ['pass', labels[0]?.id],
    ])
    const { body } = await app.send(ann, 'get', `/session/review/rounds/${id}`)
    expect(body).toMatchObject({ graded: 1, unsure: 1 })
  })

  it('leaves nothing half stored when the process ends between, and stores it when it is sent again', async () => {
    const { id, judge } = await steps.openRound()
    const held = await steps.claim(ann, id)
    const sent = { grade_id: randomUUID() }
    const trigger = 'CREATE TRIGGER cut BEFORE INSERT ON review_grade FOR EACH ROW EXECUTE FUNCTION refuse_change'
    await app.operator.query(`${trigger}('cut')`)
    expect((await steps.grade(ann, held, 0, sent)).status).toBe(500)
    expect(await steps.labelsOf(judge)).toEqual([])
    await app.operator.query('DROP TRIGGER cut ON review_grade')
    expect((await steps.grade(ann, held, 0, sent)).status).toBe(201)
    expect(await steps.labelsOf(judge)).toHaveLength(1)
  })

  it('counts only the blind grade of a person who changes their mind after the verdicts', async () => {
    const { id, judge } = await steps.openRound()
    const held = await steps.claim(ann, id)
    await steps.gradeAll(ann, held)
    await app.send(ann, 'get', `/session/review/rounds/${id}/batches/1`)
    const [item] = held.items
    const changed = truthOf(item?.response.content ?? '') === 'pass' ? 'fail' : 'pass'
    const answer = await steps.grade(ann, held, 0, { label: changed, rationale: 'Now I see.' })
    expect(answer.body).toMatchObject({ blind: false })
    expect(await steps.labelsOf(judge)).toHaveLength(10)
    const open = await app.send(bob, 'get', `/session/review/adjudications?criterion_id=${judge}`)
    expect(open.body).toMatchObject({ total: 1, data: [{ grades: [{ label: 'pass' }, { label: 'fail' }] }] })
    expect((await app.send(ann, 'get', '/session/review/adjudications')).body.total).toBe(0)
  })

  it('passes over exchanges that were deleted', async () => {
    const { id, judge } = await steps.openRound({}, 20)
    const first = await steps.claim(ann, id)
    const { rows } = await app.operator.query('SELECT log_id FROM review_item WHERE workspace_id = $1', [workspaceId])
    await steps.gradeAll(ann, first)
    const taken = new Set(rows.map(({ log_id: logId }) => logId))
    const { rows: all } = await app.operator.query('SELECT log_id FROM grading_frame_item WHERE frame_id = $1', [
      uuidOfRound(id),
    ])
    const rest = all.map(({ log_id: logId }) => logId).filter((logId) => !taken.has(logId))
    for (const logId of rest.slice(0, 8)) app.log.delete(logId)
    const next = await steps.claim(ann, id)
    expect(next.items).toHaveLength(2)
    await steps.gradeAll(ann, next)
    expect((await app.send(ann, 'get', `/session/review/rounds/${id}/batches/2`)).status).toBe(200)
    expect(await steps.claim(ann, id)).toMatchObject({ id: null, items: [] })
    expect(await steps.labelsOf(judge)).toHaveLength(12)
  })
})

it('is evidence for a calibration by its strata', async () => {
  const { id, judge } = await steps.openRound({}, 60)
  for (let batch = 0; batch < 3; batch += 1) await steps.gradeAll(ann, await steps.claim(ann, id))
  const body = { include_picked: false }
  const estimate = await app.send(ann, 'post', `/session/criteria/${judge}/calibrations/estimate`, body)
  expect(estimate.status).toBe(200)
  expect(estimate.body).toMatchObject({ object: 'criterion.calibration_estimate', rows: { total: 30, incomplete: 0 } })
})
