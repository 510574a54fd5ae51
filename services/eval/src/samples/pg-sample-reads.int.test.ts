import { randomUUID } from 'node:crypto'
import type { EvalOutcome } from '@ratchet/contracts/evals'
import { evalRequest, modelAnswer, pairVerdict, plannedSample } from '../runs/eval.fixture.ts'
import { type EvalDatabase, evalDatabase } from '../runs/eval-database.fixture.ts'
import { createPgSamples } from './pg-samples.ts'
import type { DoneSample, PlannedSample, SampleFilter } from './sample.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database?.drop())

const samples = () => createPgSamples(database.pool)

/** Saves what a worker produces: three answers, and two verdicts on each of two candidates. */
async function evaluate(
  { id }: PlannedSample,
  outcomes: readonly EvalOutcome[],
  { inconsistentFor = 0 } = {},
): Promise<void> {
  const leased = await database.leaseSample(id)
  // Results arrive in any order.
  for (const modelIndex of [2, 0, 1]) {
    await samples().saveAnswer(leased, modelAnswer({ modelIndex, costNano: BigInt(modelIndex) }))
  }
  for (const candidateIndex of [2, 1]) {
    for (const isSwapped of [true, false]) {
      const preference = isSwapped || candidateIndex === inconsistentFor ? 'first' : 'second'
      await samples().saveVerdict(leased, pairVerdict({ candidateIndex, isSwapped, preference }))
    }
  }
  await samples().complete(leased, { outcomes, failure: null })
}

async function deadLetter({ id }: PlannedSample): Promise<void> {
  const leased = await database.leaseSample(id)
  await samples().saveAnswer(leased, modelAnswer())
  await samples().release(leased, { error: 'broken', delayMs: 0, kind: 'dead_lettered' })
}

/** Evals of two candidates. */
const ofTwo = { request: evalRequest({ candidate_models: ['sim/large', 'sim/small'] }) }

describe('measurements', () => {
  it('are returned for every sample in its order, as far as it got', async () => {
    const at = (position: number, repetition: number) =>
      plannedSample({
        position,
        repetition,
        cluster: `c${position}`,
        ...(position === 10 ? { traceId: 'run-1', segment: 'billing' } : {}),
      })
    const [pending, deadLettered, done, overCap, purged] = [at(2, 0), at(2, 1), at(10, 0), at(0, 1), at(1, 0)]
    const run = await database.begin(ofTwo, [pending, deadLettered, done, overCap, purged])
    await evaluate(done, ['win', 'tie'])
    await deadLetter(deadLettered)
    for (const [sample, failure] of [
      [overCap, 'over_cap'],
      [purged, 'gone'],
    ] as const) {
      const leased = await database.leaseSample(sample.id)
      await samples().saveAnswer(leased, modelAnswer())
      await samples().complete(leased, { outcomes: ['error', 'error'], failure })
    }
    const judged = { kind: 'judged', preferences: ['second', 'first'] }
    const figures = { isAnswered: true, latencyMs: 100, textLength: 'Four.'.length, assertions: {} }
    const begun = {
      traceId: null,
      segment: null,
      isFinished: true,
      answers: [{ ...figures, costNano: modelAnswer().costNano }, null, null],
      pairs: [],
    }
    expect(await samples().measured(run.id)).toEqual([
      { ...begun, id: '000000-1', cluster: 'c0' },
      { ...begun, id: '000001-0', cluster: 'c1' },
      { ...begun, id: '000002-0', cluster: 'c2', isFinished: false, answers: [null, null, null] },
      { ...begun, id: '000002-1', cluster: 'c2' },
      {
        id: '000010-0',
        cluster: 'c10',
        traceId: 'run-1',
        segment: 'billing',
        isFinished: true,
        pairs: [judged, judged],
        answers: [0n, 1n, 2n].map((costNano) => ({ ...figures, costNano })),
      },
    ])
    expect(await samples().measured(randomUUID())).toEqual([])
  })

  it('include missing answers, assertions and missing verdicts', async () => {
    const sample = plannedSample()
    const run = await database.begin(ofTwo, [sample])
    const leased = await database.leaseSample(sample.id)
    await samples().saveAnswer(leased, modelAnswer({ isRecorded: true, costNano: null, latencyMs: null }))
    await samples().saveAnswer(leased, modelAnswer({ modelIndex: 1, assertions: { no_tool_call: false } }))
    await samples().saveAnswer(leased, modelAnswer({ modelIndex: 2, message: null, error: 'x', latencyMs: null }))
    await samples().saveVerdict(leased, pairVerdict())
    await samples().saveVerdict(leased, pairVerdict({ isSwapped: true, preference: null, failure: 'unparseable' }))
    await samples().complete(leased, { outcomes: ['error', 'error'], failure: null })
    expect(await samples().measured(run.id)).toMatchObject([
      {
        answers: [
          { isAnswered: true, costNano: null, latencyMs: null },
          { isAnswered: true, assertions: { no_tool_call: false } },
          { isAnswered: false, latencyMs: null, textLength: null },
        ],
        pairs: [{ kind: 'unparseable' }, { kind: 'unjudged' }],
      },
    ])
  })
})

describe('the list', () => {
  const outcomes: readonly (readonly EvalOutcome[])[] = [
    ['win', 'loss'],
    ['loss', 'win'],
    ['win', 'tie'],
    ['error', 'error'],
  ]
  let runId: string
  let planned: readonly PlannedSample[]
  beforeAll(async () => {
    planned = Array.from({ length: 6 }, (_, position) => plannedSample({ position }))
    runId = (await database.begin(ofTwo, planned)).id
    for (const [place, each] of outcomes.entries()) {
      await evaluate(planned[place] as PlannedSample, each, { inconsistentFor: place === 2 ? 2 : 0 })
    }
    await deadLetter(planned[4] as PlannedSample)
    await database.begin()
  })

  const placesOf = (found: readonly DoneSample[]) => found.map(({ id }) => planned.findIndex((each) => each.id === id))

  it.each<[Partial<SampleFilter>, number, readonly number[]]>([
    [{}, 5, [0, 1, 2, 3, 4]],
    [{ limit: 2 }, 5, [0, 1]],
    [{ limit: 2, offset: 4 }, 5, [4]],
    [{ offset: 5 }, 5, []],
    [{ candidateIndex: 2 }, 5, [0, 1, 2, 3, 4]],
    [{ outcome: 'win' }, 3, [0, 1, 2]],
    [{ outcome: 'win', candidateIndex: 1 }, 2, [0, 2]],
    [{ outcome: 'win', candidateIndex: 2 }, 1, [1]],
    [{ outcome: 'win', limit: 1, offset: 1 }, 3, [1]],
    [{ outcome: 'tie', candidateIndex: 1 }, 0, []],
    [{ outcome: 'tie' }, 1, [2]],
    [{ outcome: 'error' }, 2, [3, 4]],
    [{ inconsistent: true }, 1, [2]],
    [{ inconsistent: true, candidateIndex: 1 }, 0, []],
    [{ inconsistent: false, candidateIndex: 2 }, 4, [0, 1, 3, 4]],
    [{ runId: randomUUID() }, 0, []],
  ])('finds with %j %d in all', async (filter, total, places) => {
    const found = await samples().list({ runId, limit: 10, offset: 0, ...filter })
    expect([found.total, placesOf(found.samples)]).toEqual([total, places])
  })

  it('shows the prompt, answers and verdicts of each sample in order', async () => {
    const [done, , , , deadLettered] = (await samples().list({ runId, limit: 10, offset: 0 })).samples
    const { id, prompt, reference, logId, recorded } = planned[0] as PlannedSample
    expect(done).toMatchObject({ id, prompt, reference, logId, recorded, outcomes: ['win', 'loss'], error: null })
    expect(done?.answers.map(({ modelIndex }) => modelIndex)).toEqual([0, 1, 2])
    expect(done?.verdicts.map(({ candidateIndex, isSwapped }) => [candidateIndex, isSwapped])).toEqual([
      [1, false],
      [1, true],
      [2, false],
      [2, true],
    ])
    expect(deadLettered).toMatchObject({ outcomes: ['error', 'error'], error: 'broken', answers: [{ modelIndex: 0 }] })
  })

  it('says why a sample failed', async () => {
    const { id: own } = planned[5] as PlannedSample
    await database.completeSample(own, { outcomes: ['error', 'error'], failure: 'over_cap' })
    const { samples: found } = await samples().list({ runId, outcome: 'error', limit: 10, offset: 2 })
    expect(found).toMatchObject([{ id: own, error: 'over_cap', outcomes: ['error', 'error'] }])
  })
})
