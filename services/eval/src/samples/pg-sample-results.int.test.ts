import type { Pool } from '@ratchet/db/connect-pool'
import { eventually } from '@ratchet/testing/eventually'
import { keptAnswer, keptLook, plannedSample } from '../runs/eval.fixture.ts'
import { type EvalDatabase, evalDatabase } from '../runs/eval-database.fixture.ts'
import { createResultKeeper } from './pg-sample-results.ts'
import type { LeasedSample } from './sample.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database?.drop())

/** Samples of one eval that this process has taken on. */
async function leasedSamples(count: number): Promise<readonly LeasedSample[]> {
  const planned = Array.from({ length: count }, (_, position) => plannedSample({ position }))
  await database.begin({}, planned)
  return Promise.all(planned.map(({ id }) => database.leaseSample(id)))
}

/** What is kept of them, by the next to take them on. */
async function keptOf(samples: readonly LeasedSample[]): Promise<readonly Pick<LeasedSample, 'answers' | 'looks'>[]> {
  await Promise.all(samples.map(({ id }) => database.passTime('eval_sample', id)))
  const again = await Promise.all(samples.map(({ id }) => database.leaseSample(id)))
  return again.map(({ answers, looks }) => ({ answers, looks }))
}

it('keeps what many samples lead to at the same time, with few statements', async () => {
  const samples = await leasedSamples(20)
  let statements = 0
  const query = (text: string, values: unknown[]) => {
    statements += 1
    return database.pool.query(text, values)
  }
  const keeper = createResultKeeper({ query } as unknown as Pool)
  const results = samples.map((sample, index) => ({
    sample,
    answers: [0, 1].map((modelIndex) => keptAnswer({ modelIndex, costNano: BigInt(index) })),
    looks: [false, true].map((isSwapped) => keptLook({ isSwapped, explanation: `${index}` })),
  }))
  await Promise.all(
    results.flatMap(({ sample, answers, looks }) => [
      ...answers.map((answer) => keeper.keepAnswer(sample, answer)),
      ...looks.map((look) => keeper.keepLook(sample, look)),
    ]),
  )
  expect(statements).toBeLessThan(8)
  expect(await keptOf(samples)).toEqual(
    results.map(({ answers, looks }) => ({
      answers: expect.arrayContaining(answers),
      looks: expect.arrayContaining(looks),
    })),
  )
})

it('fails for what the database refuses, and keeps what came with it', async () => {
  const samples = await leasedSamples(3)
  const keeper = createResultKeeper(database.pool)
  const settled = await Promise.allSettled(
    samples.flatMap((sample, index) => [
      keeper.keepAnswer(sample, keptAnswer({ modelIndex: index === 1 ? 40_000 : 0 })),
      keeper.keepLook(sample, keptLook(index === 1 ? { preference: null, failure: null } : {})),
    ]),
  )
  expect(settled.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, false, true, true])
  const kept = { answers: [keptAnswer()], looks: [keptLook()] }
  expect(await keptOf(samples)).toEqual([kept, { answers: [], looks: [] }, kept])
})

it('fails for all that it was to keep while the database is away', async () => {
  const samples = await leasedSamples(2)
  let statements = 0
  const query = async () => {
    statements += 1
    throw new Error('Connection terminated unexpectedly')
  }
  const keeper = createResultKeeper({ query } as unknown as Pool)
  const settled = await Promise.allSettled(samples.map((sample) => keeper.keepAnswer(sample, keptAnswer())))
  expect(settled).toMatchObject([{ status: 'rejected' }, { status: 'rejected' }])
  expect(statements).toBe(1)
})

it('keeps no text of a sample whose texts are being forgotten', async () => {
  const [forgotten, other] = await leasedSamples(2)
  if (forgotten === undefined || other === undefined) throw new Error('two were asked for')
  const keeper = createResultKeeper(database.pool)
  const forgetting = await database.operator.connect()
  try {
    await forgetting.query('BEGIN')
    await forgetting.query('UPDATE eval_sample SET prompt = NULL WHERE id = $1', [forgotten.id])
    const keeping = [forgotten, other].flatMap((sample) => [
      keeper.keepAnswer(sample, keptAnswer()),
      keeper.keepLook(sample, keptLook()),
    ])
    await eventually(async () => (await waitingStatements()) === 2)
    await forgetting.query('COMMIT')
    await Promise.all(keeping)
  } finally {
    forgetting.release()
  }
  expect(await keptOf([forgotten, other])).toEqual([
    { answers: [keptAnswer({ message: null })], looks: [keptLook({ explanation: null })] },
    { answers: [keptAnswer()], looks: [keptLook()] },
  ])
})

/** Statements of eval that wait for a lock. */
async function waitingStatements(): Promise<number> {
  const text = `SELECT count(*)::int AS waiting FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO eval_%'`
  const { rows } = await database.operator.query<{ waiting: number }>(text)
  return rows[0]?.waiting ?? 0
}

it('keeps one of several looks at the same pair that come at the same time', async () => {
  const [sample] = await leasedSamples(1)
  if (sample === undefined) throw new Error('one was asked for')
  const keeper = createResultKeeper(database.pool)
  const looks = ['One.', 'Two.', 'Three.'].map((explanation) => keptLook({ explanation }))
  await Promise.all(looks.map((look) => keeper.keepLook(sample, look)))
  const [{ looks: kept } = { looks: [] }] = await keptOf([sample])
  expect(kept).toHaveLength(1)
  expect(looks).toContainEqual(kept[0])
})
