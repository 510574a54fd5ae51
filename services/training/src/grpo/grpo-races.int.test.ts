import { eventually } from '@ratchet/testing/eventually'
import { type GrpoRunApp, grpoRunApp } from './grpo.fixture.ts'

let app: GrpoRunApp
let stopJudging: () => Promise<void>

beforeAll(async () => {
  app = await grpoRunApp()
  stopJudging = app.startJudging()
})
afterAll(async () => {
  await stopJudging()
  await app.drop()
})

const uuidOf = (id: string) => id.slice(5).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

it('is paid once and holds nothing, however often it is paused, resumed and cancelled at once', async () => {
  const worker = app.startWorker({ jobMs: 1_500 })
  const runs = [await app.create(), await app.create(), await app.create()]
  const ask = (what: string) => runs.map(({ id }) => app.send('post', `/v1/grpo/runs/${id}/${what}`))
  for (let round = 0; round < 12; round += 1) {
    await Promise.all(['pause', 'resume', 'resume', 'pause'].flatMap(ask))
  }
  await Promise.all(['resume', 'cancel', 'cancel', 'resume'].flatMap(ask))
  for (const { id } of runs) {
    await eventually(
      async () => {
        const { status, held_usd: held } = await app.read(id)
        return held === 0 && !['queued', 'running', 'preparing', 'paused', 'evaluating'].includes(status) ? true : null
      },
      { withinMs: 60_000, everyMs: 100 },
    )
    const jobId = uuidOf(id)
    const { rows } = await app.operator.query<{ nano: string }>(
      'SELECT cost_nano::text AS nano FROM training_job WHERE id = $1',
      [jobId],
    )
    const paid = (app.money.postings.get(jobId) ?? []).reduce((sum, each) => sum + each, 0n)
    expect([app.money.hasOpenHold(jobId), String(paid)]).toEqual([false, rows[0]?.nano])
  }
  await worker.stop()
  expect(app.money.failures).toEqual([])
}, 120_000)
