import { type TrainerData, trainerCalls } from '@ratchet/contracts/trainer-protocol'
import { eventually } from '@ratchet/testing/eventually'
import { createSimTrainer } from '../trainers/sim/sim-trainer.ts'
import type { Trainer } from '../trainers/trainer.ts'
import { type TrainingRun, trainingRun } from './training-run.fixture.ts'

/* Jobs whose trainer counts the tokens of the examples itself, and finds another number than was estimated. */

let run: TrainingRun
beforeAll(async () => {
  run = await trainingRun({ attemptLeaseMs: 5_000 })
})
afterAll(() => run.drop())
afterEach(() => expect(run.money.failures.splice(0)).toEqual([]))

const lines = Array.from({ length: 60 }, (_, index) =>
  JSON.stringify({
    messages: [
      { role: 'user', content: `Question ${index}` },
      { role: 'assistant', content: `Answer ${index}`, weight: 1 },
    ],
  }),
)
const data = Buffer.from(`${lines.join('\n')}\n`)
const template = 'cd'.repeat(32)
const counted: TrainerData = {
  used: 40,
  too_long: 3,
  tokens: 40_000,
  p50_tokens: 900,
  p95_tokens: 1_500,
  stop_token_trained: true,
  chat_template_sha256: template,
}

async function report(token: string, body: TrainerData) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const answer = await fetch(run.url + trainerCalls.data.path, { method: 'POST', headers, body: JSON.stringify(body) })
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
  return { status: answer.status, body: (await answer.json()) as any }
}

/** Says what it counted until that is covered, and then trains as the simulated one does. */
function countingTrainer(body: TrainerData, answers: number[] = []) {
  return (onExit: () => void): Trainer => {
    const now = () => new Date()
    const sim = createSimTrainer({ slots: 2, jobMs: 100, now, retryForMs: 2_000, onExit })
    const start: Trainer['start'] = async (order) => {
      void eventually(async () => {
        const { status, body: reply } = await report(order.token, body)
        answers.push(status)
        expect([reply.covered, status]).toContainEqual(status === 200 ? true : status)
      }).then(() => (answers.at(-1) === 200 ? sim.start(order) : undefined))
    }
    return { ...sim, start }
  }
}

const endOf = (id: string, status: string) =>
  eventually(async () => {
    const job = await run.job(id)
    expect(job).toMatchObject({ status, held_nano: '0' })
    return job
  })
const chargedFor = (id: string) => (run.money.postings.get(id) ?? []).reduce((sum, each) => sum + each, 0n)

it('charges what the trainer counted, after a second hold for what is missing', async () => {
  const id = await run.createJob({ data })
  const worker = run.startWorker({ trainerOf: countingTrainer(counted) })
  const job = await endOf(id, 'succeeded')
  await worker.stop()
  expect(job).toMatchObject({ tokens_exact: true, total_tokens: '120000', estimated_cost_nano: '120000000' })
  expect([chargedFor(id), run.money.hasOpenHold(id)]).toEqual([120_000_000n, false])
  expect(JSON.parse(job.data_report)).toMatchObject({
    used: 40,
    too_long: 3,
    tokens: 40_000,
    p50_tokens: 900,
    stop_token_trained: true,
    template_sha256: template,
  })
  // 40 examples in steps of 8, three times; the last step is servable.
  expect((await run.checkpoints(id)).at(-1)).toMatchObject({ step: 15, servable: true, trained_tokens: '120000' })
})

it('charges at most what the data can be, whatever the trainer says', async () => {
  const id = await run.createJob({ data })
  const many = { ...counted, used: Number.MAX_SAFE_INTEGER, tokens: Number.MAX_SAFE_INTEGER }
  const worker = run.startWorker({ trainerOf: countingTrainer(many) })
  await endOf(id, 'succeeded')
  await worker.stop()
  // Three epochs of a token for each byte and 1,024 of a template for each example; a token costs 1,000 nano-dollars.
  const perEpoch = BigInt(data.length + 60 * 1_024)
  expect(chargedFor(id)).toBeLessThanOrEqual(3n * 1_000n * perEpoch)
  expect(JSON.parse((await run.job(id)).data_report).used).toBe(60)
})

it('charges less, without another hold, when there are fewer tokens than were estimated', async () => {
  const id = await run.createJob({ data })
  const worker = run.startWorker({ trainerOf: countingTrainer({ ...counted, tokens: 50 }) })
  await endOf(id, 'succeeded')
  await worker.stop()
  expect(chargedFor(id)).toBe(150_000n)
})

it('fails with insufficient_balance, and charges nothing, when the wallet does not cover what was counted', async () => {
  const id = await run.createJob({ data })
  run.money.refuseAbove(id, 119_999_999n)
  const answers: number[] = []
  const worker = run.startWorker({ trainerOf: countingTrainer(counted, answers) })
  const job = await endOf(id, 'failed')
  await eventually(() => expect(answers.at(-1)).toBe(409))
  await worker.stop()
  expect(job).toMatchObject({ error_code: 'insufficient_balance', cost_nano: '0', lost_attempts: 0 })
  expect(JSON.parse(job.data_report)).toMatchObject({ tokens: 40_000 })
  expect([chargedFor(id), run.money.hasOpenHold(id)]).toEqual([0n, false])
  expect(await run.checkpoints(id)).toEqual([])
})

it('counts once: what a later attempt reports changes nothing', async () => {
  const id = await run.createJob({ data })
  const tokens: string[] = []
  const silent = (): Trainer => ({
    name: 'sim',
    slots: 1,
    endsWithWorker: true,
    start: async ({ token }) => void tokens.push(token),
    stop: async () => undefined,
    list: async () => [],
    forget: async () => undefined,
  })
  const worker = run.startWorker({ trainerOf: silent })
  await eventually(() => expect(tokens).toHaveLength(1))
  const [token = ''] = tokens
  const small = { ...counted, tokens: 50 }
  expect((await report(token, small)).body).toMatchObject({ covered: true, plan: { total_tokens: 150 } })
  expect((await report(token, counted)).body).toMatchObject({ covered: true, plan: { total_tokens: 150 } })
  await run.operator.query(`UPDATE training_attempt SET ended_at = now(), exit = 'lost' WHERE job_id = $1`, [id])
  expect((await report(token, small)).status).toBe(409)
  await worker.kill()
})
