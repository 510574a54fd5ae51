import { randomUUID } from 'node:crypto'
import { newEval } from '../runs/eval.fixture.ts'
import { type EvalDatabase, evalDatabase } from '../runs/eval-database.fixture.ts'
import { createPgEvals } from '../runs/pg-evals.ts'
import { deliverWebhook } from './deliver-webhook.ts'
import { createPgWebhooks, type DueWebhook } from './pg-webhooks.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database?.drop())

const now = () => new Date('2026-11-21T12:00:00Z')

/** A finished eval with a webhook. */
async function finishedEval(): Promise<string> {
  const { id } = await database.create({ request: { ...newEval().request, webhook_url: 'https://example.com/hook' } })
  const lease = await database.leaseEval(id)
  await createPgEvals(database.pool).finish(lease, { status: 'DONE', report: null, error: null }, new Date())
  await due(id) // the database rounds the moment up to a millisecond
  return id
}

/** Delivers due webhooks; each attempt ends with this error, or null for success. Returns the sent webhooks. */
async function deliver(answer: string | null): Promise<readonly DueWebhook[]> {
  const webhooks = createPgWebhooks(database.pool)
  const send = async () => ({ status: null, error: answer, at: now(), durationMs: 1 })
  const taken = await webhooks.takeDue(10)
  for (const webhook of taken) await deliverWebhook({ webhooks, send }, webhook)
  return taken
}

const due = (id: string) =>
  database.operator.query("UPDATE eval_run SET webhook_due_at = now() - interval '1 second' WHERE id = $1", [id])

it('sends a webhook once when it is accepted', async () => {
  const id = await finishedEval()
  expect(await deliver(null)).toMatchObject([
    { runId: id, status: 'DONE', url: 'https://example.com/hook', attempts: 1 },
  ])
  expect(await deliver(null)).toEqual([])
  expect(await database.evalRow(id)).toMatchObject({
    webhook_delivered_at: now(),
    webhook_due_at: null,
    webhook_error: null,
  })
})

it('retries with growing delays until it is accepted', async () => {
  const id = await finishedEval()
  for (const [attempts, seconds] of [10, 20, 40].entries()) {
    expect(await deliver('It was answered with 500.')).toMatchObject([{ attempts: attempts + 1 }])
    const row = await database.evalRow(id)
    expect(row).toMatchObject({ webhook_error: 'It was answered with 500.', webhook_delivered_at: null })
    const waitMs = (row.webhook_due_at as Date).getTime() - Date.now()
    expect(waitMs / 1_000).toBeGreaterThan(seconds - 9)
    expect(waitMs / 1_000).toBeLessThanOrEqual(seconds + 1)
    expect(await deliver(null)).toEqual([])
    await due(id)
  }
  expect(await deliver(null)).toHaveLength(1)
})

it('is due again when the process that claimed it ended, and not after a day', async () => {
  const id = await finishedEval()
  const [abandoned] = await createPgWebhooks(database.pool).takeDue(10)
  expect(await deliver(null)).toEqual([])
  await due(id)
  expect(await deliver('It could not be sent.')).toMatchObject([{ runId: id, attempts: 2 }])
  const late = { deliveredAt: null, error: 'late', retryDelayMs: 1 }
  await createPgWebhooks(database.pool).saveOutcome(abandoned as DueWebhook, late)
  expect(await database.evalRow(id)).toMatchObject({ webhook_error: 'It could not be sent.' })
  await due(id)
  await database.operator.query("UPDATE eval_run SET finished_at = now() - interval '25 hours' WHERE id = $1", [id])
  expect(await deliver('It could not be sent.')).toHaveLength(1)
  expect(await database.evalRow(id)).toMatchObject({ webhook_due_at: null, webhook_delivered_at: null })
})

it('sends nothing for an eval without a webhook', async () => {
  const { id } = await database.create({ id: randomUUID() })
  const lease = await database.leaseEval(id)
  await createPgEvals(database.pool).finish(lease, { status: 'DONE', report: null, error: null }, new Date())
  expect(await deliver(null)).toEqual([])
})
