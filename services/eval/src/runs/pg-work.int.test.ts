import { plannedSample } from './eval.fixture.ts'
import { type EvalDatabase, evalDatabase } from './eval-database.fixture.ts'
import { createPgEvals } from './pg-evals.ts'
import { readWork } from './pg-work.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database.drop())

async function work(queue: string) {
  return (await readWork(database.pool)).find((each) => each.queue === queue)
}

it('counts samples of running evals, and an eval only while it needs a worker itself', async () => {
  const waiting = plannedSample()
  const run = await database.begin({}, [plannedSample({ position: 1 }), { ...waiting, position: 2 }])
  await database.leaseSample(waiting.id)

  expect(await work('eval-sample')).toMatchObject({ unfinished: 2, leased: 1 })
  expect((await work('eval-sample'))?.deadLettered).toBe(0)
  expect(await work('eval-run')).toMatchObject({ unfinished: 1, leased: 0, oldestPendingSeconds: 0 })

  await database.operator.query(`UPDATE eval_sample SET due_at = now() - interval '70 seconds' WHERE run_id = $1`, [
    run.id,
  ])
  expect((await work('eval-sample'))?.oldestPendingSeconds).toBeGreaterThanOrEqual(70)
})

it('does not count the samples of a cancelled eval, which are never processed', async () => {
  const before = (await work('eval-sample'))?.unfinished
  const run = await database.begin()
  await createPgEvals(database.pool).cancel(run, new Date())

  expect((await work('eval-sample'))?.unfinished).toBe(before)
})
