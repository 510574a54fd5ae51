import { eventually } from '@ratchet/testing/eventually'
import { type Body, changedTrainers } from './changed-trainer.fixture.ts'
import { type GrpoRunApp, grpoRunApp, small16 } from './grpo.fixture.ts'

let app: GrpoRunApp
let stopJudging: () => Promise<void>
const { trainerSaying, stop } = changedTrainers()

beforeAll(async () => {
  app = await grpoRunApp()
  stopJudging = app.startJudging()
})
afterAll(async () => {
  await stopJudging()
  await app.drop()
  stop()
})

type Stats = Record<string, number>
/** A trainer beside an engine: what it trained has such figures. */
function trainerWith(change: (stats: Stats) => Stats) {
  return trainerSaying({ of: 'trained', change: ({ stats, ...body }) => ({ ...body, stats: change(stats) }) })
}

it('pauses a run after three steps whose answers an engine sampled without the adapter', async () => {
  const ignored = trainerWith((stats) => ({ ...stats, logprob_gap_mean: 0.11, logprob_gap_max: 4 }))
  const worker = app.startWorker({ trainerOf: ignored })
  const { id } = await app.create({ hyperparameters: small16 })
  const paused = await eventually(
    async () => {
      const run = await app.read(id)
      if (run.status !== 'paused') throw new Error(`${run.status} ${run.status_message} at ${run.progress.step}`)
      return run
    },
    { withinMs: 60_000 },
  )
  await worker.stop()
  expect(paused).toMatchObject({ paused_reason: 'policy_mismatch', progress: { step: 3 }, held_usd: 0 })
  const { data } = (await app.send('get', `/v1/grpo/runs/${id}/steps`)).body
  expect(data.map((step: { readonly logprob_gap_mean: number }) => step.logprob_gap_mean)).toEqual([0.11, 0.11, 0.11])
})

it('lets numeric noise of an engine pass', async () => {
  const noisy = trainerWith((stats) => ({ ...stats, logprob_gap_mean: 0.03, logprob_gap_max: 0.5 }))
  const worker = app.startWorker({ trainerOf: noisy })
  const { id } = await app.create({ hyperparameters: { ...small16, maxSteps: 4 } })
  await eventually(async () => expect((await app.read(id)).status).toBe('awaiting_adoption'), { withinMs: 60_000 })
  await worker.stop()
})

it('takes no answer that says to have more tokens than the run allows, for which it would be charged', async () => {
  const answers: Body[] = []
  const worker = app.startWorker({
    trainerOf: trainerSaying({
      of: 'rollouts',
      change: ({ rollouts }) => ({
        rollouts: rollouts.map((rollout: object) => ({ ...rollout, sampled_tokens: 32_768 })),
      }),
      onAnswer: (answer) => answers.push(answer),
    }),
  })
  const { id } = await app.create({ hyperparameters: small16 })
  await eventually(() => expect(answers).not.toEqual([]), { withinMs: 60_000 })
  await worker.stop()
  expect(answers[0]).toMatchObject({ status: 400, body: { error: { param: 'rollouts.0.sampled_tokens' } } })
  expect((await app.send('get', `/v1/grpo/runs/${id}/rollouts?limit=200`)).body.data).toEqual([])
})
