import { randomUUID } from 'node:crypto'
import type { Identity } from '@ratchet/contracts/identity'
import { uuidOf } from '@ratchet/contracts/public-id'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { addGrade } from '../calibration/grades.fixture.ts'
import { selectItems } from '../calibration/select-items.ts'
import { createPgCriteria } from '../criteria/pg-criteria.ts'
import { createPgJudgements } from '../judgements/pg-judgements.ts'
import { createPgVerdicts } from '../judgements/pg-verdicts.ts'
import { processJudgement } from '../judgements/process-judgement.ts'
import { type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'
import { judgingWith, passed, plannedFor } from '../runs/judged-work.fixture.ts'
import { chooseCandidates, openStrata, reachedWith } from './choose-candidates.ts'
import { runItemId } from './grading-frame.ts'
import { drawFrame, type FrameOrder, rankIn } from './grading-frames.ts'
import { createPgGrades } from './pg-grades.ts'
import { createPgGradingFrames } from './pg-grading-frames.ts'

let app: JudgingApp
beforeAll(async () => {
  app = await startJudgingApp()
})
afterAll(() => app?.stop())

const traceIds = ['run a', 'run b', 'run c', 'run d']
const drawn: object[] = []

const deps = () => ({
  frames: createPgGradingFrames(app.pool),
  verdicts: createPgVerdicts(app.pool),
  logger: silentLogger,
  log: {
    feedback: async () => new Map(),
    sample: () => Promise.reject(new Error('no exchange is drawn for a judge of runs')),
    drawRuns: async (_identity: Identity, requested: object) => {
      drawn.push(requested)
      return { totalRuns: traceIds.length, traceIds }
    },
  },
  now: app.clock.now,
  newId: () => randomUUID(),
})

async function judgeOfRuns(kind: FrameOrder['kind']): Promise<FrameOrder> {
  const id = uuidOf('criterion', await app.addCriterion({ unit: 'trace', population: 'agent' })) ?? ''
  const criterion = await createPgCriteria(app.pool).get({ workspaceId: app.workspaceId, id })
  if (criterion === null) throw new Error('the judge was created')
  return { criterion, identity: { workspaceId: app.workspaceId } as Identity, kind }
}

const keyOf = ({ criterion }: FrameOrder) => ({ workspaceId: app.workspaceId, criterionId: criterion.id })
const items = (order: FrameOrder, frameId: string) => deps().frames.items(keyOf(order), frameId)
const grade = (order: FrameOrder, traceId: string, more: object = {}) =>
  addGrade(app.operator, {
    label: 'pass',
    criterionId: order.criterion.id,
    workspaceId: app.workspaceId,
    at: app.clock.now(),
    method: 'picked',
    traceId,
    ...more,
  })
const all = { createdAfter: null, graderId: null, sampling: 'any', maxRows: null, includesPicked: false } as const

async function offerAll(order: FrameOrder, frameId: string) {
  const strata = openStrata(await items(order, frameId), rankIn(frameId))
  const chosen = chooseCandidates(strata, 'random', { limit: 50, rank: rankIn(frameId) })
  const key = { workspaceId: app.workspaceId, frameId }
  await deps().frames.markOffered(key, reachedWith(strata, chosen), app.clock.now())
}

it('a random frame has completed runs of the population, and grades of offered ones are random draws', async () => {
  const order = await judgeOfRuns('random')
  const frame = await drawFrame(deps(), order)
  if (frame === null) throw new Error('a frame is drawn')
  expect(drawn.at(-1)).toMatchObject({ filters: { tag: 'agent' }, count: 2_000 })
  expect((await items(order, frame.id)).map(({ traceId }) => traceId).toSorted()).toEqual(traceIds)
  await grade(order, 'run a')
  await offerAll(order, frame.id)
  await grade(order, 'run b', { label: 'fail' })
  const found = await items(order, frame.id)
  const known = found.map(({ traceId, isGraded, human }) => [traceId, isGraded, human])
  expect(known.toSorted()).toEqual([
    ['run a', true, 'pass'],
    ['run b', true, 'fail'],
    ['run c', false, null],
    ['run d', false, null],
  ])
  // What was graded before is reached at the latest when nothing else is left.
  for (const traceId of ['run c', 'run d']) await grade(order, traceId)
  await offerAll(order, frame.id)
  const grades = await createPgGrades(app.pool).inForce(order.criterion, app.clock.now())
  const { items: selected, leftOut } = selectItems(grades, all)
  expect([selected.map(({ stratum }) => stratum), leftOut]).toEqual([traceIds.map(() => 'random'), 0])
  const offered = await deps().frames.offered(keyOf(order), [runItemId(app.workspaceId, 'run b')])
  expect([...offered.values()]).toEqual([{ frameId: frame.id, kind: 'random', stratum: 'all', probability: 1 }])
})

it('is drawn when every run has a grade, so that these count, and not again when all were offered', async () => {
  const order = await judgeOfRuns('random')
  for (const traceId of traceIds) await grade(order, traceId)
  const frame = await drawFrame(deps(), order)
  if (frame === null) throw new Error('a frame is drawn')
  await offerAll(order, frame.id)
  const grades = await createPgGrades(app.pool).inForce(order.criterion, app.clock.now())
  expect(selectItems(grades, all).items.map(({ stratum }) => stratum)).toEqual(traceIds.map(() => 'random'))
  expect(await drawFrame(deps(), order)).toBeNull()
})

it('grades that only state a draw count as picked, and are no random grades for a scan either', async () => {
  const order = await judgeOfRuns('random')
  for (const method of ['random', 'balanced', 'round', 'mine']) {
    await grade(order, `run ${method}`, { method, probability: 1, isOnlyStated: true })
  }
  await grade(order, 'run drawn', { method: 'random' })
  const { items: selected, leftOut } = selectItems(
    await createPgGrades(app.pool).inForce(order.criterion, app.clock.now()),
    all,
  )
  expect([selected.map(({ stratum }) => stratum), leftOut]).toEqual([['random'], 4])
  const asked = ['run random', 'run drawn']
  expect([...(await deps().verdicts.randomGrades({ ...keyOf(order), unit: 'trace' }, asked)).keys()]).toEqual([
    'run drawn',
  ])
})

it('a frame of judged runs has a stratum for each verdict of the judge', async () => {
  const order = await judgeOfRuns('judged')
  const judgements = createPgJudgements(app.pool)
  const item = (traceId: string) => ({ kind: 'run', traceId, stepIds: [randomUUID()] }) as const
  const planned = traceIds.map((traceId) => plannedFor(order.criterion, { source: 'gate', item: item(traceId) }))
  await judgements.plan(planned)
  const { deps: worker } = judgingWith(judgements, async ({ item: judged }) => {
    const isBad = judged.kind === 'run' && judged.traceId < 'run c'
    return { ...passed, verdict: isBad ? 'fail' : 'pass' }
  })
  for (const { id } of planned) await processJudgement(worker, id)
  const frame = await drawFrame(deps(), order)
  const strata = (await items(order, frame?.id ?? '')).map(({ traceId, stratum }) => [traceId, stratum])
  expect(strata.toSorted()).toEqual([
    ['run a', 'judged_fail'],
    ['run b', 'judged_fail'],
    ['run c', 'judged_pass'],
    ['run d', 'judged_pass'],
  ])
})
