import { randomUUID } from 'node:crypto'
import type { Identity } from '@ratchet/contracts/identity'
import { ImportedGrade } from '@ratchet/contracts/labels'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { createPgCriteria } from '../criteria/pg-criteria.ts'
import { createPgGateReads } from '../gates/pg-gate-reads.ts'
import { rankIn } from '../labels/grading-frames.ts'
import { labelOfImport, textsOf } from '../labels/label-of-import.ts'
import { createPgGrades } from '../labels/pg-grades.ts'
import { createPgGradingPace } from '../labels/pg-grading-pace.ts'
import { createPgLabels } from '../labels/pg-labels.ts'
import { createPgProgress } from '../progress/pg-progress.ts'
import { type ReviewApp, startReviewApp, uuidOfRound } from './review-app.fixture.ts'
import { type ReviewSteps, reviewSteps } from './review-steps.fixture.ts'

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

it('knows how long the latest grades of the workspace took', async () => {
  const readPace = createPgGradingPace(app.pool)
  expect(await readPace(workspaceId)).toEqual({ medianMs: null, grades: 0 })
  const { id } = await steps.openRound({}, 20)
  await steps.gradeAll(ann, await steps.claim(ann, id))
  const { medianMs, grades } = await readPace(workspaceId)
  expect([medianMs, grades > 0]).toEqual([4_000, true])
  expect(await readPace(randomUUID())).toEqual({ medianMs: null, grades: 0 })
})

describe('two people in one round', () => {
  it('hold no item together, but those that two people grade', async () => {
    const { id } = await steps.openRound({ double_percent: 15 }, 200)
    for (let turn = 0; turn < 5; turn += 1) {
      const [one, other] = await Promise.all([steps.claim(ann, id), steps.claim(bob, id)])
      await Promise.all([steps.gradeAll(ann, one), steps.gradeAll(bob, other)])
    }
    const { rows } = await app.operator.query(
      `SELECT log_id, count(DISTINCT grader_id)::int AS people, array_agg(kind ORDER BY kind) AS kinds FROM review_item
       WHERE round_id = $1 GROUP BY log_id`,
      [uuidOfRound(id)],
    )
    const shared = rows.filter(({ people }) => people > 1)
    expect(shared.every(({ kinds, people }) => people === 2 && kinds.join() === 'double,new')).toBe(true)
    expect(shared.length).toBeGreaterThan(0)
    expect(rows.filter(({ people, kinds }) => people === 1 && kinds.join() !== 'new')).toEqual([])
  })

  it('keep their items by heartbeats, and lose them ten minutes after the last sign of life', async () => {
    const { id } = await steps.openRound({}, 10)
    const held = await steps.claim(ann, id)
    for (let minute = 5; minute <= 15; minute += 5) {
      app.clock.advance(5 * 60_000)
      const renewed = await app.send(ann, 'post', `/session/review/rounds/${id}/heartbeat`, { claim_ids: [held.id] })
      expect(renewed.body.data).toHaveLength(1)
      expect(await steps.claim(bob, id)).toMatchObject({ id: null })
    }
    app.clock.advance(10 * 60_000 + 1)
    const dead = await app.send(ann, 'post', `/session/review/rounds/${id}/heartbeat`, { claim_ids: [held.id] })
    expect(dead.body.data).toEqual([])
    const taken = await steps.claim(bob, id)
    expect(taken.items).toHaveLength(10)
    // What comes late counts too.
    expect((await steps.grade(ann, held, 0)).status).toBe(201)
    expect((await steps.grade(bob, taken, 0)).status).toBe(201)
  })

  it('get the same batch again after a reload, and another one while they hold it', async () => {
    const { id } = await steps.openRound()
    const held = await steps.claim(ann, id)
    await steps.grade(ann, held, 0)
    const again = await steps.claim(ann, id)
    expect([again.id, again.items.length]).toEqual([held.id, 9])
    const waitingFor = async (who: typeof ann) => (await app.send(who, 'get', '/session/review/waiting')).body
    expect(await waitingFor(ann)).toEqual({ object: 'review.waiting', started: 9, disputed: 0 })
    expect((await waitingFor(bob)).started).toBe(0)
    const next = await steps.claim(ann, id, { holding: [held.id] })
    expect([next.batch, next.items.length]).toEqual([2, 10])
  })

  it('who disagree are followed by a third person, who decides by majority and sees no names', async () => {
    const { id, judge } = await steps.openRound({ double_percent: 100 }, 10)
    await steps.gradeAll(ann, await steps.claim(ann, id), { label: 'pass', rationale: 'Fine.' })
    const held = await steps.claim(bob, id)
    await steps.gradeAll(bob, held, { label: 'pass' })
    for (const place of [0, 1, 2, 3]) await steps.grade(bob, held, place, { label: 'fail', rationale: 'Not at all.' })
    const people = await app.send(ann, 'get', `/session/review/graders?criterion_id=${judge}`)
    const agreement = await app.send(owner, 'get', `/v1/labels/agreement?criterion_id=${judge}`)
    const { pairs_n, raw_agreement, raw_agreement_ci, cohen_kappa, fleiss_kappa } = agreement.body
    expect(people.body).toMatchObject({ pairs_n, raw_agreement, raw_agreement_ci, cohen_kappa, fleiss_kappa })
    expect(people.body).toMatchObject({ pairs_n: 10, raw_agreement: 0.6, pairs: [{ n: 10, raw_agreement: 0.6 }] })
    expect(people.body.graders).toMatchObject([{ grades: 10, median_seconds: 4 }, { grades: 10 }])
    for (const each of [ann, bob]) {
      expect((await app.send(each, 'get', '/session/review/adjudications')).body.total).toBe(0)
    }
    const carl = app.person('member', workspaceId)
    const open = await app.send(carl, 'get', '/session/review/adjudications')
    expect(open.body.total).toBe(4)
    const waiting = { object: 'review.waiting', started: 0, disputed: 4 }
    expect((await app.send(carl, 'get', '/session/review/waiting')).body).toEqual(waiting)
    expect(open.body.data[0].grades).toEqual([
      { label: 'pass', rationale: 'Fine.' },
      { label: 'fail', rationale: 'Not at all.' },
    ])
    expect([ann.userId, bob.userId, 'verdict', 'judged_'].filter((word) => open.text.includes(word))).toEqual([])
    const own = await app.send(bob, 'post', `/session/review/adjudications/${open.body.data[0].id}`, { label: 'fail' })
    expect([own.status, own.body.error.code]).toEqual([409, 'conflict'])
    for (const { id: item } of open.body.data) {
      const decided = await app.send(carl, 'post', `/session/review/adjudications/${item}`, { label: 'fail' })
      expect([decided.status, decided.body.settled]).toEqual([201, true])
    }
    expect((await app.send(app.person('member', workspaceId), 'get', '/session/review/adjudications')).body.total).toBe(
      0,
    )
  })

  it('get items with large content on pages of bounded size', async () => {
    const owner = app.person('owner', randomUUID())
    await app.operator.query('INSERT INTO workspace VALUES ($1::uuid, $1::text, $1::text, now())', [owner.workspaceId])
    const gradeOf = (item: number, grader: string, text: string) => {
      const line = {
        messages: [{ role: 'user', content: text }],
        response: 'no',
        label: grader === 'a' ? 'pass' : 'fail',
      }
      const graded = ImportedGrade.parse({ ...line, grader, external_id: `item ${item}` })
      const of = { criterionId: null, id: randomUUID(), identity: owner, at: new Date(1_800_000_000_000 + item) }
      return labelOfImport({ line: graded, texts: textsOf(graded), ...of })
    }
    const large = 'x'.repeat(9_000_000)
    for (const item of [1, 2, 3]) {
      const grades = [gradeOf(item, 'a', large), gradeOf(item, 'b', `${large}.`)]
      for (const grade of grades) await createPgLabels(app.pool).add([grade], { skipsKnown: false })
    }
    const read = (query: string) => app.send(owner, 'get', `/session/review/adjudications?limit=200${query}`)
    const first = await read('')
    expect([first.body.data.length, first.body.total, first.body.has_more]).toEqual([2, 3, true])
    const second = await read('&offset=2')
    expect([second.body.data.length, second.body.total, second.body.has_more]).toEqual([1, 3, false])
    const ids = [...first.body.data, ...second.body.data].map(({ id }) => id)
    expect(new Set(ids).size).toBe(3)
  })
})

it('shows people their own items again, and items that others settled, and only they see how that went', async () => {
  const { id, judge } = await steps.openRound({ double_percent: 0, again_percent: 20, known_percent: 20 }, 200)
  const known = app.log.add(workspaceId, ['Known one (flawed).', 'Known two.'])
  for (const grader of ['x', 'y']) {
    for (const [index, logId] of known.entries()) {
      const label = index === 0 ? 'fail' : 'pass'
      const body = { log_id: publicId('log', logId), criterion_id: judge, label, grader }
      expect((await app.send(owner, 'post', '/v1/labels', body)).status).toBe(201)
    }
  }
  for (let batch = 0; batch < 6; batch += 1) await steps.gradeAll(ann, await steps.claim(ann, id))
  const { rows } = await app.operator.query(
    'SELECT kind, count(*)::int AS count FROM review_item WHERE workspace_id = $1 GROUP BY kind',
    [workspaceId],
  )
  const counts = Object.fromEntries(rows.map(({ kind, count }) => [kind, count]))
  expect(counts).toMatchObject({ known: 2 })
  expect(counts.again).toBeGreaterThan(0)
  const labels = await steps.labelsOf(judge)
  expect(labels.filter(({ sampling }) => sampling?.method === 'round')).toHaveLength(counts.new)
  const mine = (await app.send(ann, 'get', `/session/review/graders?criterion_id=${judge}`)).body.graders
  const own = mine.find(({ grader_id }: { grader_id: string }) => grader_id === ann.userId)
  expect(own).toMatchObject({
    self_agreement: { same: counts.again, n: counts.again, rate: 1 },
    known: { right: 2, n: 2 },
  })
  const others = (await app.send(bob, 'get', `/session/review/graders?criterion_id=${judge}`)).body.graders
  expect(
    others.every(
      (each: { self_agreement: unknown; known: unknown }) => each.self_agreement === null && each.known === null,
    ),
  ).toBe(true)
})

it('counts what was graded in the round as drawn, and neither believes nor prefers grades that only state it', async () => {
  const { id, judge } = await steps.openRound({}, 60)
  const held = await steps.claim(ann, id)
  await steps.grade(ann, held, 0)
  const [stored] = await steps.labelsOf(judge)
  const key = { workspaceId, id: uuidOf('criterion', judge) ?? '' }
  const progress = (await createPgProgress(app.pool).gradedForJudges(workspaceId)).get(key.id)
  expect((progress?.fails ?? 0) + (progress?.passes ?? 0)).toBe(1)
  const unseen = await app.operator.query<{ log_id: string }>(
    'SELECT log_id FROM grading_frame_item WHERE frame_id = $1 AND offered_at IS NULL LIMIT 1',
    [uuidOfRound(id)],
  )
  const [graded, other] = [uuidOf('log', stored?.log_id ?? '') ?? '', unseen.rows[0]?.log_id ?? '']
  app.clock.advance(1_000)
  const opposite = stored?.label === 'fail' ? 'pass' : 'fail'
  for (const log_id of [graded, other].map((uuid) => publicId('log', uuid))) {
    const { sampling } = stored ?? {}
    const body = { log_id, criterion_id: judge, label: opposite, grader: ann.userId, blind: true, sampling }
    expect((await app.send(owner, 'post', '/v1/labels', body)).status).toBe(201)
  }
  const criterion = await createPgCriteria(app.pool).get(key)
  if (criterion === null) throw new Error('the judge was created')
  const grades = await createPgGrades(app.pool).inForce(criterion, app.clock.now())
  const counted = grades.filter(({ sampling }) => sampling.kind !== 'picked')
  expect([grades.length, counted.map(({ labelId }) => publicId('label', labelId))]).toEqual([2, [stored?.id]])
  // The later grade supersedes the blind one, which counts nevertheless.
  expect((await createPgProgress(app.pool).gradedForJudges(workspaceId)).get(key.id)).toEqual(progress)
  const gate = { workspaceId, criterionId: key.id, unit: 'request' } as const
  expect([...(await createPgGateReads(app.pool).grades(gate, [graded]))]).toEqual([[graded, stored?.label]])
  const draws = await createPgGateReads(app.pool).draws(criterion, [graded, other], app.clock.now())
  const probability = stored?.sampling?.probability
  expect([draws.get(graded), draws.get(other)]).toMatchObject([{ probability }, { probability: null }])
})

it('counts what people leave out as errors, until another person decides it or cannot either', async () => {
  const { id, judge } = await steps.openRound({}, 60)
  const held = await steps.claim(ann, id)
  const key = { workspaceId, id: uuidOf('criterion', judge) ?? '' }
  const unanswered = async () => {
    const criterion = await createPgCriteria(app.pool).get(key)
    if (criterion === null) throw new Error('the judge was created')
    return createPgGrades(app.pool).unanswered(criterion, app.clock.now())
  }
  const frame = await app.operator.query<{ log_id: string; stratum: string }>(
    'SELECT log_id, stratum FROM grading_frame_item WHERE frame_id = $1 AND offered_at IS NOT NULL',
    [uuidOfRound(id)],
  )
  const given = await app.operator.query<{ id: string; log_id: string }>(
    'SELECT id, log_id FROM review_item WHERE workspace_id = $1 AND round_id = $2',
    [workspaceId, uuidOfRound(id)],
  )
  // The two that come first in the random order of a stratum with three.
  const [stratum] = [...Map.groupBy(frame.rows, (row) => row.stratum).values()].filter((rows) => rows.length >= 3)
  const rank = rankIn(uuidOfRound(id))
  const first = (stratum ?? []).map(({ log_id: logId }) => logId).toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
  const itemOf = (logId: string | undefined) => {
    const item = given.rows.find(({ log_id: each }) => each === logId)
    return held.items.findIndex((each) => uuidOf('reviewItem', each.id) === item?.id)
  }
  const [unsure, skipped] = [itemOf(first[0]), itemOf(first[1])]
  for (const place of held.items.keys()) {
    if (place === skipped) continue
    await steps.grade(ann, held, place, place === unsure ? { label: 'unsure' } : {})
  }
  // Ann may still grade the skipped one.
  expect((await unanswered()).map(({ itemKey }) => itemKey)).toEqual([first[0]])
  app.clock.advance(3_600_000)
  expect(new Set((await unanswered()).map(({ itemKey }) => itemKey))).toEqual(new Set([first[0], first[1]]))
  const other = await steps.claim(bob, id)
  // Both are in Bob's batch now.
  expect(await unanswered()).toEqual([])
  for (const place of other.items.keys()) await steps.grade(bob, other, place, { label: 'unsure' })
  const left = (await unanswered()).map(({ itemKey }) => itemKey)
  expect([left.includes(first[0] ?? ''), left.includes(first[1] ?? '')]).toEqual([false, true])
})
