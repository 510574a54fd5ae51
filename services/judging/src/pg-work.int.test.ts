import { type LabelDatabase, labelDatabase } from './labels/label-database.fixture.ts'
import { readWork } from './pg-work.ts'

let database: LabelDatabase
beforeAll(async () => {
  database = await labelDatabase()
})
afterAll(() => database.drop())

/** Inserts judgements without their criteria. */
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

it('reports zeros without work, so that an autoscaler has values from the start', async () => {
  expect(await readWork(database.pool)).toEqual([
    { queue: 'judge', unfinished: 0, leased: 0, deadLettered: 0, oldestPendingSeconds: 0 },
    { queue: 'judge-run', unfinished: 0, leased: 0, deadLettered: null, oldestPendingSeconds: 0 },
  ])
})

it('counts pending, leased and dead-lettered judgements, and the longest wait', async () => {
  await addJudgements(3, { state: 'pending', dueInSeconds: -90 })
  await addJudgements(2, { state: 'leased', dueInSeconds: 20 })
  await addJudgements(1, { state: 'poisoned', dueInSeconds: -9_000 })
  await addJudgements(4, { state: 'done', dueInSeconds: -9_000 })

  const work = await judgeWork()

  expect(work).toMatchObject({ unfinished: 5, leased: 2, deadLettered: 1 })
  expect(work?.oldestPendingSeconds).toBeGreaterThanOrEqual(90)
  expect(work?.oldestPendingSeconds).toBeLessThan(120)
})

it('counts an expired lease as pending since its end', async () => {
  await addJudgements(1, { state: 'leased', dueInSeconds: -600 })
  expect((await judgeWork())?.oldestPendingSeconds).toBeGreaterThanOrEqual(600)
})
