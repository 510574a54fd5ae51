import { createPgSamples } from '../samples/pg-samples.ts'
import type { LeasedSample } from '../samples/sample.ts'
import { advanceEval } from './advance-eval.ts'
import { evalRequest, modelAnswer, pairVerdict, plannedSample } from './eval.fixture.ts'
import { type EvalDatabase, evalDatabase } from './eval-database.fixture.ts'
import type { NewEval } from './eval-run.ts'
import { createPgEvals } from './pg-evals.ts'
import { stopWhenConclusive } from './stop-eval.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database?.drop())

const evals = () => createPgEvals(database.pool)
const samples = () => createPgSamples(database.pool)
const stopping = evalRequest({ stop_when: 'conclusive', sample_count: 70 })
const now = () => new Date('2026-11-21T13:00:00Z')

/** A RUNNING eval of 70 samples. */
async function begun(request = stopping) {
  const planned = Array.from({ length: 70 }, (_, position) => plannedSample({ position }))
  const run = await database.begin({ request }, planned)
  return { run, ids: planned.map(({ id }) => id) }
}

/** Completes samples, for the candidate when `hasWon`, else as ties. @returns the last one */
async function finish(ids: readonly string[], hasWon = true): Promise<LeasedSample> {
  let last: LeasedSample | undefined
  for (const id of ids) {
    const leased = await database.leaseSample(id)
    for (const modelIndex of [0, 1]) await samples().saveAnswer(leased, modelAnswer({ modelIndex }))
    for (const isSwapped of [false, true]) {
      const preference = hasWon ? (isSwapped ? 'first' : 'second') : 'tie'
      await samples().saveVerdict(leased, pairVerdict({ isSwapped, preference }))
    }
    await samples().complete(leased, { outcomes: [hasWon ? 'win' : 'tie'], failure: null })
    last = leased
  }
  if (last === undefined) throw new Error('no sample')
  return last
}

const stop = (sample: LeasedSample) => stopWhenConclusive({ evals: evals(), samples: samples() }, sample)
const pending = async (run: NewEval) => (await samples().pending(run.id)).length

async function advance(run: NewEval): Promise<void> {
  const sourceOf = () => {
    throw new Error('the samples were drawn')
  }
  const deps = {
    evals: evals(),
    samples: samples(),
    sourceOf,
    now,
    enqueueSamples: async () => {},
    notifyEval: async () => {},
    onEvent: () => {},
  }
  await advanceEval(deps, run.id)
}

it('skips what is pending when the question is answered; samples in progress finish; the eval is DONE', async () => {
  const { run, ids } = await begun()
  const inProgress = await database.leaseSample(ids[60] ?? '')
  await stop(await finish(ids.slice(0, 55)))
  expect([await pending(run), await samples().isOver(run.id)]).toEqual([0, false])
  await samples().complete(inProgress, { outcomes: ['error'], failure: null })
  expect(await samples().isOver(run.id)).toBe(true)
  await advance(run)
  expect(await evals().get(run)).toMatchObject({
    status: 'DONE',
    report: {
      samples_total: 56,
      samples_failed: 0,
      samples_skipped: 14,
      candidates: { 'sim/large': { wins: 55, difference: { method: 'confidence_sequence', verdict: 'better' } } },
    },
  })
  // Only what ran is charged: two answers and two verdicts of 55 samples.
  expect((await evals().progress([run.id])).get(run.id)).toMatchObject({
    total: 70,
    done: 70,
    costNano: 55n * 2n * 7_000n,
    judgeCostNano: 55n * 2n * 5_000n,
  })
  expect((await samples().list({ runId: run.id, limit: 100, offset: 0 })).total).toBe(56)
})

it('continues while the question is open, or an earlier sample is unfinished', async () => {
  const [ties, gap] = [await begun(), await begun()]
  await stop(await finish(ties.ids.slice(0, 60), false))
  await stop(await finish(gap.ids.slice(1, 66)))
  expect([await pending(ties.run), await pending(gap.run)]).toEqual([10, 5])
})

it('continues without `stop_when`, and never changes an eval that was cancelled', async () => {
  const [all, cancelled] = [await begun(evalRequest({ sample_count: 70 })), await begun()]
  await stop(await finish(all.ids.slice(0, 55)))
  const last = await finish(cancelled.ids.slice(0, 55))
  await evals().cancel(cancelled.run, now())
  await stop(last)
  expect([await pending(all.run), await pending(cancelled.run)]).toEqual([15, 15])
})

it('skips samples of the named workspace only', async () => {
  const { run } = await begun()
  await evals().skipPending({ id: run.id, workspaceId: '00000000-0000-7000-8000-000000000001' })
  expect(await pending(run)).toBe(70)
})
