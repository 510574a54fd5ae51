import type { EvalSample } from '@ratchet/contracts/evals'
import { publicId } from '@ratchet/contracts/public-id'
import { advanceEval } from '../runs/advance-eval.ts'
import { evalRequest, plannedSample } from '../runs/eval.fixture.ts'
import { type EvalDatabase, evalDatabase } from '../runs/eval-database.fixture.ts'
import { judgeModelsOf } from '../runs/eval-run.ts'
import { createPgEvals } from '../runs/pg-evals.ts'
import { evaluateSample } from './evaluate-sample.ts'
import { modelCallsOf, modelsAnswering, preferring, verdict } from './evaluated-work.fixture.ts'
import { createPgPurge } from './pg-purge.ts'
import { createPgSamples } from './pg-samples.ts'
import { sampleReply } from './sample-reply.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database?.drop())

const samples = () => createPgSamples(database.pool)
const judge = { model: 'sim/one', panel: ['sim/two', 'sim/three'], rubric: 'Kind.', criterionId: null, trust: null }
const request = evalRequest({ judge_model: null, judge_models: judgeModelsOf(judge) as string[] })

/** Two judges prefer the candidate; the third sees a tie in the first sample only. */
function panel() {
  const wins = preferring('sim/large')
  let calls = 0
  return modelsAnswering({
    'sim/one': wins,
    'sim/two': wins,
    'sim/three': (body) => {
      calls += 1
      return calls <= 2 ? verdict('tie') : wins(body)
    },
  })
}

it('is asked in both orders, saved by judge, counted by majority and reported with agreement and cost', async () => {
  const planned = Array.from({ length: 6 }, (_, position) => plannedSample({ position, expiresAt: new Date(0) }))
  const run = await database.begin({ request, judge }, planned)
  const inference = panel()
  for (const { id } of planned) {
    const leased = await database.leaseSample(id)
    const end = await evaluateSample({ samples: samples(), ...modelCallsOf(inference) }, leased)
    await samples().complete(leased, end)
  }
  const judged = inference.calls.filter(({ body }) => judgeModelsOf(judge).includes(body.model))
  expect([judged.length, new Set(judged.map(({ key }) => key)).size]).toEqual([36, 36])
  const sourceOf = () => {
    throw new Error('the samples were drawn')
  }
  const [evals, now] = [createPgEvals(database.pool), () => new Date('2026-11-21T13:00:00Z')]
  const deps = {
    evals,
    samples: samples(),
    sourceOf,
    now,
    enqueueSamples: async () => {},
    notifyEval: async () => {},
    onEvent: () => {},
  }
  await advanceEval(deps, run.id)
  const done = await evals.get(run)
  const costUsd = done?.report?.judges?.[0]?.cost_usd
  expect(costUsd).toBeGreaterThan(0)
  expect(done?.report).toMatchObject({
    samples_judged: 6,
    judges: judgeModelsOf(judge).map((model) => ({ model, cost_usd: costUsd })),
    candidates: {
      'sim/large': {
        wins: 6,
        samples_judged: 6,
        consistency_rate: 1,
        panel: {
          judges: [{ wins: 6 }, { wins: 6 }, { model: 'sim/three', wins: 5, ties: 1 }],
          agreements: [
            { judges: ['sim/one', 'sim/two'], agreement: 1, kappa: null },
            { agreement: 5 / 6, kappa: 0 },
            { agreement: 5 / 6, kappa: 0 },
          ],
          disputed: 1,
        },
      },
    },
  })
  // What the eval reports is what its verdicts cost.
  const { judgeCostNano } = (await evals.progress([run.id])).get(run.id)!
  const costs = await samples().judgeCosts(run.id)
  expect(judgeCostNano).toBe([...costs.values()].reduce((sum, cost) => sum + cost, 0n))

  const disputed = await samples().list({ runId: run.id, disputed: true, limit: 10, offset: 0 })
  const agreed = await samples().list({ runId: run.id, disputed: false, limit: 10, offset: 0 })
  expect([disputed.total, agreed.total]).toEqual([1, 5])
  const [shown] = disputed.samples.map(
    (sample): EvalSample => sampleReply(sample, { request, judges: judgeModelsOf(judge), candidateIndex: undefined }),
  )
  expect(shown).toMatchObject({ id: publicId('sample', planned[0]!.id), outcome: 'win', disputed: true })
  expect(shown?.orders.map(({ judge: model, winner }) => [model, winner])).toEqual([
    ...Array.from({ length: 2 }, () => ['sim/one', 'sim/large']),
    ...Array.from({ length: 2 }, () => ['sim/two', 'sim/large']),
    ...Array.from({ length: 2 }, () => ['sim/three', 'tie']),
  ])

  await createPgPurge(database.pool).purgeExpired()
  const { rows } = await database.operator.query('SELECT count(explanation)::int AS texts FROM eval_panel_verdict')
  expect(rows).toEqual([{ texts: 0 }])
})

it('continues with the verdicts that an earlier attempt saved', async () => {
  const planned = plannedSample()
  await database.begin({ request, judge }, [planned])
  const first = await database.leaseSample(planned.id)
  await evaluateSample({ samples: samples(), ...modelCallsOf(panel()) }, first)
  await database.passTime('eval_sample', planned.id)
  const again = await database.leaseSample(planned.id)
  const inference = panel()
  expect(again.verdicts).toHaveLength(6)
  await evaluateSample({ samples: samples(), ...modelCallsOf(inference) }, again)
  expect(inference.calls).toEqual([])
})
