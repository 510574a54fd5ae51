import type { Pool } from '@ratchet/db/connect-pool'
import { eventually } from '@ratchet/testing/eventually'
import { modelAnswer, pairVerdict, plannedSample } from '../runs/eval.fixture.ts'
import { type EvalDatabase, evalDatabase } from '../runs/eval-database.fixture.ts'
import { createPgSampleResults } from './pg-sample-results.ts'
import type { LeasedSample } from './sample.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database?.drop())

/** Leased samples of one eval. */
async function leasedSamples(count: number): Promise<readonly LeasedSample[]> {
  const planned = Array.from({ length: count }, (_, position) => plannedSample({ position }))
  await database.begin({}, planned)
  return Promise.all(planned.map(({ id }) => database.leaseSample(id)))
}

/** The saved results, as the next worker reads them. */
async function savedOf(
  samples: readonly LeasedSample[],
): Promise<readonly Pick<LeasedSample, 'answers' | 'verdicts'>[]> {
  await Promise.all(samples.map(({ id }) => database.passTime('eval_sample', id)))
  const again = await Promise.all(samples.map(({ id }) => database.leaseSample(id)))
  return again.map(({ answers, verdicts }) => ({ answers, verdicts }))
}

it('saves results of many samples at the same time with few statements', async () => {
  const samples = await leasedSamples(20)
  let statements = 0
  const query = (text: string, values: unknown[]) => {
    statements += 1
    return database.pool.query(text, values)
  }
  const results = createPgSampleResults({ query } as unknown as Pool)
  const expected = samples.map((sample, index) => ({
    sample,
    answers: [0, 1].map((modelIndex) => modelAnswer({ modelIndex, costNano: BigInt(index) })),
    verdicts: [false, true].map((isSwapped) => pairVerdict({ isSwapped, explanation: `${index}` })),
  }))
  await Promise.all(
    expected.flatMap(({ sample, answers, verdicts }) => [
      ...answers.map((answer) => results.saveAnswer(sample, answer)),
      ...verdicts.map((verdict) => results.saveVerdict(sample, verdict)),
    ]),
  )
  expect(statements).toBeLessThan(8)
  expect(await savedOf(samples)).toEqual(
    expected.map(({ answers, verdicts }) => ({
      answers: expect.arrayContaining(answers),
      verdicts: expect.arrayContaining(verdicts),
    })),
  )
})

it('fails for a row that the database refuses, and saves the others', async () => {
  const samples = await leasedSamples(3)
  const results = createPgSampleResults(database.pool)
  const settled = await Promise.allSettled(
    samples.flatMap((sample, index) => [
      results.saveAnswer(sample, modelAnswer({ modelIndex: index === 1 ? 40_000 : 0 })),
      results.saveVerdict(sample, pairVerdict(index === 1 ? { preference: null, failure: null } : {})),
    ]),
  )
  expect(settled.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, false, true, true])
  const saved = { answers: [modelAnswer()], verdicts: [pairVerdict()] }
  expect(await savedOf(samples)).toEqual([saved, { answers: [], verdicts: [] }, saved])
})

it('fails for all results while the database is unavailable', async () => {
  const samples = await leasedSamples(2)
  let statements = 0
  const query = async () => {
    statements += 1
    throw new Error('Connection terminated unexpectedly')
  }
  const results = createPgSampleResults({ query } as unknown as Pool)
  const settled = await Promise.allSettled(samples.map((sample) => results.saveAnswer(sample, modelAnswer())))
  expect(settled).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
  expect(statements).toBe(1)
})

it('saves no text of a sample whose texts are being deleted', async () => {
  const [purged, other] = await leasedSamples(2)
  if (purged === undefined || other === undefined) throw new Error('expected two samples')
  const results = createPgSampleResults(database.pool)
  const purging = await database.operator.connect()
  try {
    await purging.query('BEGIN')
    await purging.query('UPDATE eval_sample SET prompt = NULL WHERE id = $1', [purged.id])
    const saving = [purged, other].flatMap((sample) => [
      results.saveAnswer(sample, modelAnswer()),
      results.saveVerdict(sample, pairVerdict()),
    ])
    await eventually(async () => (await waitingStatements()) === 2)
    await purging.query('COMMIT')
    await Promise.all(saving)
  } finally {
    purging.release()
  }
  expect(await savedOf([purged, other])).toEqual([
    { answers: [modelAnswer({ message: null })], verdicts: [pairVerdict({ explanation: null })] },
    { answers: [modelAnswer()], verdicts: [pairVerdict()] },
  ])
})

/** Statements of eval that wait for a lock. */
async function waitingStatements(): Promise<number> {
  const text = `SELECT count(*)::int AS waiting FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO eval_%'`
  const { rows } = await database.operator.query<{ waiting: number }>(text)
  return rows[0]?.waiting ?? 0
}

it('saves one of several simultaneous verdicts on the same pair', async () => {
  const [sample] = await leasedSamples(1)
  if (sample === undefined) throw new Error('expected one sample')
  const results = createPgSampleResults(database.pool)
  const verdicts = ['One.', 'Two.', 'Three.'].map((explanation) => pairVerdict({ explanation }))
  await Promise.all(verdicts.map((verdict) => results.saveVerdict(sample, verdict)))
  const [{ verdicts: saved } = { verdicts: [] }] = await savedOf([sample])
  expect(saved).toHaveLength(1)
  expect(verdicts).toContainEqual(saved[0])
})
