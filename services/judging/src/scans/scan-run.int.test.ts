import { randomUUID } from 'node:crypto'
import { addGrade, recordDraw } from '../calibration/grades.fixture.ts'
import { storedCriterion } from '../criteria/criterion.fixture.ts'
import { createPgCriteria } from '../criteria/pg-criteria.ts'
import { doneJudgement } from '../judgements/done-judgement.fixture.ts'
import { createPgVerdicts } from '../judgements/pg-verdicts.ts'
import { type LabelDatabase, labelDatabase } from '../labels/label-database.fixture.ts'
import { createPgGrades } from '../labels/pg-grades.ts'
import type { LeasedRun } from '../runs/judge-run.ts'
import type { ScanResult } from './scan-result.ts'
import { createScanRunHandler } from './scan-run.ts'

let database: LabelDatabase

beforeAll(async () => {
  database = await labelDatabase()
})
afterAll(() => database.drop())

const noLog = () => Promise.reject(new Error('not of this test'))

/** A scan of 100 exchanges that pass. Of 60 that people were offered they left out some. */
async function scanWith(leftOut: number): Promise<ScanResult> {
  const criterion = storedCriterion({ id: randomUUID(), workspaceId: randomUUID(), createdAt: new Date(0) })
  await createPgCriteria(database.pool).create(criterion)
  const at = new Date()
  const ids = Array.from({ length: 100 }, () => randomUUID())
  const shared = { workspaceId: criterion.workspaceId, criterionId: criterion.id, at }
  for (const [index, logId] of ids.slice(0, 60).entries()) {
    if (index < leftOut) await recordDraw(database.operator, { ...shared, kind: 'random', logId })
    else await addGrade(database.operator, { ...shared, label: 'pass', logId })
  }
  const run = { id: randomUUID(), workspaceId: criterion.workspaceId, criterionId: criterion.id } as LeasedRun
  const handle = createScanRunHandler({
    criteria: createPgCriteria(database.pool),
    verdicts: createPgVerdicts(database.pool),
    grades: createPgGrades(database.pool),
    judgements: {
      async *ofRun() {
        for (const [index, logId] of ids.entries()) yield doneJudgement(index, { item: { kind: 'log', logId } })
      },
    },
    log: { sample: noLog, drawRuns: noLog, readRuns: noLog },
    now: () => at,
  })
  const request = { filters: {}, sampleCount: 100 }
  const step = await handle({
    ...run,
    instrument: criterion.instrument,
    request,
    rowsTotal: 100,
    result: { matched: 100 },
  })
  if (step.kind !== 'done') throw new Error(`the scan is ${step.kind}`)
  return step.result as ScanResult
}

it('counts what people were offered and left out against its corrected rate', async () => {
  const whole = await scanWith(0)
  const chosen = await scanWith(20)
  expect(whole.correctedPassRate).toBe(1)
  // Of twenty, at most one or two may come after the last grade.
  expect(chosen.correctedPassRate).toBeLessThan(0.8)
  expect(chosen.correctedCi?.[1]).toBe(1)
  expect(chosen.correctedCi?.[0]).toBeLessThan(0.7)
})
