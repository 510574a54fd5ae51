import { buffer } from 'node:stream/consumers'
import { eventually } from '@ratchet/testing/eventually'
import { listen } from '../driver/listen.fixture.ts'
import { createSimTrainer } from '../trainers/sim/sim-trainer.ts'
import type { Trainer } from '../trainers/trainer.ts'
import { type GrpoRunApp, grpoRunApp, small16 } from './grpo.fixture.ts'

let app: GrpoRunApp
let stopJudging: () => Promise<void>
const undo: (() => void)[] = []

beforeAll(async () => {
  app = await grpoRunApp()
  stopJudging = app.startJudging()
})
afterAll(async () => {
  await stopJudging()
  await app.drop()
  for (const step of undo) step()
})

type Stats = Record<string, number>

/** Passes calls on to the service, with other figures of what was trained. */
async function passingOn(service: string, change: (stats: Stats) => Stats): Promise<string> {
  const { server, url } = await listen(async (request, response) => {
    const sent = await buffer(request)
    const isTrained = request.url?.endsWith('/trained') === true
    const { stats, ...body } = isTrained ? JSON.parse(sent.toString()) : { stats: {} }
    const { host, 'content-length': length, connection, ...headers } = request.headers
    const answer = await fetch(`${service}${request.url}`, {
      method: request.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(sent.length === 0 ? {} : { body: isTrained ? JSON.stringify({ ...body, stats: change(stats) }) : sent }),
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(await answer.text())
  })
  undo.push(() => void server.close())
  return url
}

/** A trainer beside an engine: what it trained has such figures. */
function trainerWith(change: (stats: Stats) => Stats) {
  return (onExit: (name: string) => void): Trainer => {
    const sim = createSimTrainer({ slots: 2, jobMs: 50, now: () => new Date(), retryForMs: 2_000, onExit })
    return { ...sim, start: async (order) => sim.start({ ...order, url: await passingOn(order.url, change) }) }
  }
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
