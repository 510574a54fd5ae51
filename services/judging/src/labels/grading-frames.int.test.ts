import { randomUUID } from 'node:crypto'
import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import type { FeedbackCount } from '@ratchet/judge-kit/fleet/log-reader'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { addOnlineJudgement } from '../calibration/evidence.fixture.ts'
import { addGrade } from '../calibration/grades.fixture.ts'
import { selectItems } from '../calibration/select-items.ts'
import { createPgCriteria } from '../criteria/pg-criteria.ts'
import { createPgVerdicts } from '../judgements/pg-verdicts.ts'
import { type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'
import { chooseCandidates, openStrata, reachedWith } from './choose-candidates.ts'
import { maxFrameAgeMs } from './grading-frame.ts'
import { currentFrame, drawFrame, type FrameOrder, rankIn } from './grading-frames.ts'
import { createPgGrades } from './pg-grades.ts'
import { createPgGradingFrames } from './pg-grading-frames.ts'

let app: JudgingApp
beforeAll(async () => {
  app = await startJudgingApp()
})
afterAll(() => app?.stop())

const feedback = new Map<string, FeedbackCount>()

const deps = () => ({
  frames: createPgGradingFrames(app.pool),
  verdicts: createPgVerdicts(app.pool),
  logger: silentLogger,
  log: {
    feedback: async () => feedback,
    sample: () => Promise.reject(new Error('no exchange is drawn from the log here')),
    drawRuns: () => Promise.reject(new Error('no run is drawn from the log here')),
  },
  now: app.clock.now,
  newId: () => randomUUID(),
})

/** A judge that has judged this many exchanges, all PASS. */
async function judgeOf(judged: number): Promise<FrameOrder> {
  const id = uuidOf('criterion', await app.addCriterion()) ?? ''
  for (let index = 0; index < judged; index += 1) {
    await addOnlineJudgement(app, { criterionId: id, at: app.clock.now(), costNano: 0, source: 'online' })
  }
  const criterion = await createPgCriteria(app.pool).get({ workspaceId: app.workspaceId, id })
  if (criterion === null) throw new Error('the judge was created')
  return { criterion, identity: { workspaceId: app.workspaceId } as Identity, kind: 'judged' }
}

const keyOf = ({ criterion }: FrameOrder) => ({ workspaceId: app.workspaceId, criterionId: criterion.id })

async function offer(order: FrameOrder, frameId: string, limit: number) {
  const { frames, now } = deps()
  const strata = openStrata(await frames.items(keyOf(order), frameId), rankIn(frameId))
  const chosen = chooseCandidates(strata, 'balanced', { limit, rank: rankIn(frameId) })
  await frames.markOffered({ workspaceId: app.workspaceId, frameId }, reachedWith(strata, chosen), now())
  return chosen
}

const all = { createdAfter: null, graderId: null, sampling: 'any', maxRows: null, includesPicked: false } as const

it('freezes its exchanges: what is judged later is not in it, and only a new frame has it', async () => {
  const order = await judgeOf(5)
  const frame = await drawFrame(deps(), order)
  await addOnlineJudgement(app, { criterionId: order.criterion.id, at: app.clock.now(), costNano: 0, source: 'online' })
  expect(await currentFrame(deps(), order)).toEqual(frame)
  expect(await deps().frames.items(keyOf(order), frame?.id ?? '')).toHaveLength(5)
  app.clock.advance(maxFrameAgeMs + 1)
  expect(await currentFrame(deps(), order)).toBeNull()
  const next = await drawFrame(deps(), order)
  expect(await deps().frames.items(keyOf(order), next?.id ?? '')).toHaveLength(6)
})

it('is drawn once by several processes', async () => {
  const order = await judgeOf(3)
  const drawn = await Promise.all(Array.from({ length: 5 }, () => drawFrame(deps(), order)))
  expect(new Set(drawn.map((frame) => frame?.ordinal)).size).toBeLessThanOrEqual(5)
  const { rows } = await app.operator.query('SELECT ordinal FROM grading_frame WHERE criterion_id = $1', [
    order.criterion.id,
  ])
  expect(rows.map(({ ordinal }) => ordinal).toSorted()).toEqual(rows.map((_, index) => index + 1))
})

it('counts the grades that its random order has reached, whatever was stated, and no others', async () => {
  const order = await judgeOf(10)
  const frame = await drawFrame(deps(), order)
  if (frame === null) throw new Error('a frame is drawn')
  const ranked = openStrata(await deps().frames.items(keyOf(order), frame.id), rankIn(frame.id))[0]?.ranked ?? []
  const grade = (logId: string | undefined) =>
    addGrade(app.operator, {
      label: 'pass',
      criterionId: order.criterion.id,
      workspaceId: app.workspaceId,
      at: app.clock.now(),
      logId: logId ?? null,
      method: 'picked',
    })
  // Someone picked the second and the last of the order before they were offered.
  await grade(ranked[1]?.logId)
  await grade(ranked[9]?.logId)
  const chosen = await offer(order, frame.id, 2)
  expect(chosen.map(({ logId }) => logId)).toEqual([ranked[0]?.logId, ranked[2]?.logId])
  expect(chosen.map(({ samplingProbability }) => samplingProbability)).toEqual([0.3, 0.3])
  expect(
    (
      await deps().frames.offered(
        keyOf(order),
        ranked.map(({ logId }) => logId),
      )
    ).size,
  ).toBe(3)
  for (const { logId } of chosen) await grade(logId)
  const { items, leftOut } = selectItems(await createPgGrades(app.pool).inForce(order.criterion, app.clock.now()), all)
  expect(leftOut).toBe(1)
  expect(items.map(({ stratum, samplingProbability }) => [stratum, samplingProbability])).toEqual(
    Array.from({ length: 3 }, () => [`${frame.id}/judged_pass`, 0.3]),
  )
})

it('counts grades as picked that only state that they were drawn, and grades on record as drawn', async () => {
  const { criterion } = await judgeOf(1)
  const { workspaceId } = app
  const grade = { label: 'pass', criterionId: criterion.id, workspaceId, at: app.clock.now() } as const
  for (const method of ['random', 'balanced', 'import', 'gate', 'mine']) {
    await addGrade(app.operator, { ...grade, method, probability: 1, isOnlyStated: true })
  }
  await addGrade(app.operator, grade)
  const { items, leftOut } = selectItems(await createPgGrades(app.pool).inForce(criterion, app.clock.now()), all)
  expect([items.map(({ stratum }) => stratum), leftOut]).toEqual([['random'], 5])
})

it('counts offered items without a grade before the last one with a grade, and not those after it', async () => {
  const order = await judgeOf(10)
  const frame = await drawFrame(deps(), order)
  if (frame === null) throw new Error('a frame is drawn')
  const grade = async (logId: string | undefined, at: Date) =>
    addGrade(app.operator, {
      label: 'pass',
      criterionId: order.criterion.id,
      workspaceId: app.workspaceId,
      at,
      logId: logId ?? null,
      method: 'picked',
    })
  const chosen = await offer(order, frame.id, 6)
  app.clock.advance(1_000)
  const before = app.clock.now()
  const flattering = [chosen[1], chosen[3]]
  for (const each of flattering) await grade(each?.logId, app.clock.now())
  const grades = createPgGrades(app.pool)
  const select = async (at: Date, request: object = {}) =>
    selectItems(
      await grades.inForce(order.criterion, at),
      { ...all, ...request },
      await grades.unanswered(order.criterion, at),
    )
  const { items, unanswered, cut } = await select(app.clock.now())
  expect([items.length, cut]).toEqual([2, 0])
  // Four of ten count: two grades, and what was left out before the second of them.
  const place = { stratum: `${frame.id}/judged_pass`, samplingProbability: 0.4 }
  expect(unanswered).toEqual([place, place])
  app.clock.advance(1_000)
  await grade(chosen[0]?.logId, app.clock.now())
  await grade(chosen[2]?.logId, app.clock.now())
  expect((await select(app.clock.now())).unanswered).toEqual([])
  expect((await select(before)).unanswered).toHaveLength(2)
  // Whoever chooses grades by a filter chooses items too.
  expect(await select(app.clock.now(), { createdAfter: before.toISOString() })).toMatchObject({ cut: 2 })
  expect(await select(app.clock.now(), { maxRows: 3 })).toMatchObject({ cut: 1 })
})

it('has a stratum of what users contradict, disputed or not, which is offered first among the passes', async () => {
  const order = await judgeOf(12)
  const judged = await deps().verdicts.judgedLately(keyOf(order), 20)
  const [first, second, third] = judged.map(({ logId }) => logId)
  feedback
    .set(first ?? '', { up: 0, down: 1 })
    .set(second ?? '', { up: 1, down: 3 })
    .set(third ?? '', { up: 2, down: 2 })
  const frame = await drawFrame(deps(), order)
  const items = await deps().frames.items(keyOf(order), frame?.id ?? '')
  const contradicted = items.filter(({ stratum }) => stratum === 'judged_pass_contradicted').map(({ logId }) => logId)
  expect(contradicted.toSorted()).toEqual([first, second].toSorted())
  expect(items.filter(({ stratum }) => stratum === 'judged_pass')).toHaveLength(10)
  const chosen = await offer(order, frame?.id ?? '', 4)
  expect(chosen.filter(({ stratum }) => stratum === 'judged_pass_contradicted')).toEqual([
    { logId: expect.any(String), stratum: 'judged_pass_contradicted', samplingProbability: 1 },
    { logId: expect.any(String), stratum: 'judged_pass_contradicted', samplingProbability: 1 },
  ])
})

it('is drawn without feedback when the log cannot be read', async () => {
  const order = await judgeOf(3)
  const log = { ...deps().log, feedback: () => Promise.reject(new Error('away')) }
  const frame = await drawFrame({ ...deps(), log }, order)
  const items = await deps().frames.items(keyOf(order), frame?.id ?? '')
  expect(items.map(({ stratum }) => stratum)).toEqual(['judged_pass', 'judged_pass', 'judged_pass'])
})
