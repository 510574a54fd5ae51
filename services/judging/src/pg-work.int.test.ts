import { type LabelDatabase, labelDatabase } from './labels/label-database.fixture.ts'
import { readWork } from './pg-work.ts'

let database: LabelDatabase
beforeAll(async () => {
  database = await labelDatabase()
})
afterAll(() => database.drop())

/** Rows as they would be, without the judges that they belong to. */
async function addJudgements(count: number, { state, dueInSeconds }: { state: string; dueInSeconds: number }) {
  const client = await database.operator.connect()
  try {
    await client.query('SET session_replication_role = replica')
    await client.query(
      `INSERT INTO judgement (id, workspace_id, criterion_id, source, instrument, log_id, state, due_at, created_at,
         failure, judged_at)
       SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'scan', 1, gen_random_uuid(),
         $2::judgement_state, now() + $3 * interval '1 second', now(),
         CASE WHEN $2 = 'done' THEN 'unparseable' END, CASE WHEN $2 = 'done' THEN now() END
       FROM generate_series(1, $1)`,
      [count, state, dueInSeconds],
    )
  } finally {
    client.release(true)
  }
}

async function judgeWork() {
  return (await readWork(database.pool)).find(({ queue }) => queue === 'judge')
}

it('tells nothing to do as zeros, for a scaler must not wait for the first row', async () => {
  expect(await readWork(database.pool)).toEqual([
    { queue: 'judge', unfinished: 0, leased: 0, poisoned: 0, oldestPendingSeconds: 0 },
    { queue: 'judge-run', unfinished: 0, leased: 0, poisoned: null, oldestPendingSeconds: 0 },
  ])
})

it('counts what waits, what somebody has and what was given up, and the longest wait', async () => {
  await addJudgements(3, { state: 'pending', dueInSeconds: -90 })
  await addJudgements(2, { state: 'leased', dueInSeconds: 20 })
  await addJudgements(1, { state: 'poisoned', dueInSeconds: -9_000 })
  await addJudgements(4, { state: 'done', dueInSeconds: -9_000 })

  const work = await judgeWork()

  expect(work).toMatchObject({ unfinished: 5, leased: 2, poisoned: 1 })
  expect(work?.oldestPendingSeconds).toBeGreaterThanOrEqual(90)
  expect(work?.oldestPendingSeconds).toBeLessThan(120)
})

it('counts a lease that nobody renewed as waiting since it ended', async () => {
  await addJudgements(1, { state: 'leased', dueInSeconds: -600 })
  expect((await judgeWork())?.oldestPendingSeconds).toBeGreaterThanOrEqual(600)
})
