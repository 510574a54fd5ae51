import { randomUUID } from 'node:crypto'
import type { RetryDecision } from '@ratchet/work-kit/leases/decide-retry'
import { evalRequest, modelAnswer, pairVerdict, plannedSample, reply } from '../runs/eval.fixture.ts'
import { type EvalDatabase, evalDatabase, leaseMs } from '../runs/eval-database.fixture.ts'
import { createPgEvals } from '../runs/pg-evals.ts'
import { createPgSamples } from './pg-samples.ts'
import type { PlannedSample } from './sample.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database?.drop())

const evals = () => createPgEvals(database.pool)
const samples = () => createPgSamples(database.pool)
const later: RetryDecision = { kind: 'retried', error: 'not now', delayMs: leaseMs }
const end = { outcomes: ['win'], failure: null } as const

/** A sample of a RUNNING eval. */
async function pendingSample(more: Partial<PlannedSample> = {}): Promise<string> {
  const sample = plannedSample(more)
  await database.begin({}, [sample])
  return sample.id
}

/** Samples of one eval. */
async function pendingSamples(count: number) {
  const planned = Array.from({ length: count }, (_, position) => plannedSample({ position }))
  const run = await database.begin({}, planned)
  return { run, ids: planned.map(({ id }) => id) }
}

describe('the lease of a sample', () => {
  it('is given to one of many concurrent processes until it ends', async () => {
    const id = await pendingSample()
    const leaseMany = () => Promise.all(Array.from({ length: 12 }, () => samples().lease(id, leaseMs)))
    expect((await leaseMany()).filter((leased) => leased !== null)).toMatchObject([{ generation: 1 }])
    await database.passTime('eval_sample', id)
    expect((await leaseMany()).filter((leased) => leased !== null)).toMatchObject([{ generation: 2 }])
  })

  it('returns everything that was stored, with the eval', async () => {
    const sample = plannedSample({
      position: 7,
      repetition: 2,
      traceId: 'run-1',
      stepIndex: 3,
      expiresAt: new Date('2031-01-01T00:00:00Z'),
      prompt: { messages: [reply('"ü\\ \0')], tools: [{ type: 'function' }], responseFormat: { type: 'json_object' } },
      recorded: { costNano: null, latencyMs: 1.5 },
    })
    const { createdBy, createdAt, ...run } = await database.begin(
      { request: evalRequest({ seed: 5 }), maxCostNano: 4_000n },
      [sample],
    )
    const fresh = {
      ...sample,
      run: { ...run, createdBy, createdAt },
      waitsForCap: false,
      generation: 1,
      failures: 0,
      answers: [],
      verdicts: [],
    }
    expect(await database.leaseSample(sample.id)).toEqual(fresh)
  })

  it('is not given for a waiting, finished, dead-lettered or unknown sample', async () => {
    const [waiting, done, deadLettered] = [await pendingSample(), await pendingSample(), await pendingSample()]
    await samples().release(await database.leaseSample(waiting), later)
    await database.completeSample(done)
    await samples().release(await database.leaseSample(deadLettered), { ...later, delayMs: 0, kind: 'dead_lettered' })
    for (const id of [waiting, done, deadLettered, randomUUID()]) expect(await samples().lease(id, leaseMs)).toBeNull()
  })

  it('is not given for an eval that has ended', async () => {
    const { run, ids } = await pendingSamples(1)
    await evals().cancel(run, new Date())
    expect(await samples().lease(ids[0] ?? '', leaseMs)).toBeNull()
    expect(await samples().overdue(1_000)).not.toContain(ids[0])
  })

  it('is renewed only by its holder', async () => {
    const id = await pendingSample()
    const lost = await database.leaseSample(id)
    await database.passTime('eval_sample', id)
    await samples().renew(lost, leaseMs)
    expect(await samples().lease(id, leaseMs)).toBeNull()
    await database.passTime('eval_sample', id)
    const own = await database.leaseSample(id)
    await database.passTime('eval_sample', id)
    await samples().renew(lost, leaseMs)
    expect(await samples().lease(id, leaseMs)).toMatchObject({ generation: own.generation + 1 })
  })

  it('that was lost prevents completing and releasing', async () => {
    const id = await pendingSample()
    const lost = await database.leaseSample(id)
    await database.passTime('eval_sample', id)
    const own = await database.leaseSample(id)
    expect(await samples().complete(lost, { outcomes: ['loss'], failure: null })).toBe(false)
    await samples().release(lost, { ...later, kind: 'dead_lettered' })
    expect(await database.sampleRow(id)).toMatchObject({ state: 'leased', last_error: null, failures: 0 })
    expect(await samples().complete(own, end)).toBe(true)
    expect(await samples().complete(own, { outcomes: ['loss'], failure: null })).toBe(false)
    await samples().release(own, later)
    expect(await database.sampleRow(id)).toMatchObject({ state: 'done', outcomes: ['win'], failure: null })
  })
})

describe('saved results', () => {
  it('keep the first answer', async () => {
    const id = await pendingSample()
    const leased = await database.leaseSample(id)
    const first = modelAnswer({ message: reply('First.'), assertions: { no_tool_call: true }, latencyMs: 0.25 })
    await samples().saveAnswer(leased, first)
    await samples().saveAnswer(leased, modelAnswer({ message: reply('Second.'), costNano: 99n }))
    const racing = Array.from({ length: 8 }, (_, cost) => modelAnswer({ modelIndex: 1, costNano: BigInt(cost) }))
    await Promise.all(racing.map((answer) => samples().saveAnswer(leased, answer)))
    await database.passTime('eval_sample', id)
    const { answers } = await database.leaseSample(id)
    expect(answers).toHaveLength(2)
    expect(answers[0]).toEqual(first)
    expect(racing).toContainEqual(answers[1])
  })

  it('keep the first verdict in each order', async () => {
    const id = await pendingSample()
    const leased = await database.leaseSample(id)
    const saved = [
      pairVerdict({ preference: 'first' }),
      pairVerdict({ isSwapped: true, preference: null, failure: 'refused', explanation: null }),
      pairVerdict({ candidateIndex: 2, costNano: 0n }),
    ]
    for (const verdict of saved) await samples().saveVerdict(leased, verdict)
    for (const verdict of saved)
      await samples().saveVerdict(leased, { ...verdict, explanation: 'Later.', costNano: 1n })
    await database.passTime('eval_sample', id)
    const { verdicts } = await database.leaseSample(id)
    expect(verdicts).toHaveLength(3)
    expect(verdicts).toEqual(expect.arrayContaining(saved))
  })

  it('may be an error, or a stored answer of unknown cost', async () => {
    const id = await pendingSample()
    const leased = await database.leaseSample(id)
    const saved = [
      modelAnswer({ isRecorded: true, costNano: null, latencyMs: null }),
      modelAnswer({ modelIndex: 1, message: null, error: 'Refused.', costNano: 0n, latencyMs: null }),
    ]
    for (const answer of saved) await samples().saveAnswer(leased, answer)
    await database.passTime('eval_sample', id)
    expect((await database.leaseSample(id)).answers).toEqual(saved)
  })
})

describe('releasing', () => {
  it('counts failures, and does not count postponements', async () => {
    const id = await pendingSample()
    for (const [kind, failures] of [
      ['postponed', 0],
      ['retried', 1],
      ['postponed', 1],
      ['retried', 2],
    ] as const) {
      expect(await database.leaseSample(id)).toMatchObject({ failures: failures - Number(kind === 'retried') })
      await samples().release({ id, generation: failures + 100 }, later)
      const { generation } = await database.sampleRow(id)
      await samples().release({ id, generation: Number(generation) }, { ...later, kind })
      expect(await database.sampleRow(id)).toMatchObject({ state: 'pending', failures, attempts: 0 })
      await database.passTime('eval_sample', id)
    }
  })

  it('stores the error without characters that Postgres refuses', async () => {
    const id = await pendingSample()
    await samples().release(await database.leaseSample(id), { ...later, error: `no\0${'x'.repeat(600)}` })
    expect(await database.sampleRow(id)).toMatchObject({ last_error: `no${'x'.repeat(498)}` })
    await database.passTime('eval_sample', id)
    await database.completeSample(id)
    expect(await database.sampleRow(id)).toMatchObject({ last_error: null })
  })

  it('dead-letters a sample whose lease ended twenty times, and does not delay other samples', async () => {
    const { run, ids } = await pendingSamples(2)
    const [deadly = '', sound = ''] = ids
    for (let time = 1; time <= 20; time += 1) {
      expect(await samples().overdue(1_000)).toEqual(expect.arrayContaining([deadly, sound]))
      await database.leaseSample(deadly)
      await database.passTime('eval_sample', deadly)
    }
    const overdue = await samples().overdue(1_000)
    expect([overdue.includes(deadly), overdue.includes(sound)]).toEqual([false, true])
    expect(await database.sampleRow(deadly)).toMatchObject({ state: 'poisoned', attempts: 20, outcomes: ['error'] })
    await database.completeSample(sound)
    expect(await samples().isOver(run.id)).toBe(true)
  })

  it('may happen any number of times without a failure', async () => {
    const id = await pendingSample()
    for (let time = 0; time < 25; time += 1) {
      await samples().release(await database.leaseSample(id), { ...later, kind: 'postponed' })
      await database.passTime('eval_sample', id)
    }
    await samples().overdue(1)
    expect(await database.sampleRow(id)).toMatchObject({ state: 'pending', attempts: 0, failures: 0 })
  })
})

describe('unfinished samples', () => {
  it('are every prompt of an eval once, then every prompt again', async () => {
    const places = [
      [1, 0],
      [0, 1],
      [1, 1],
      [0, 0],
    ] as const
    const planned = places.map(([position, repetition]) => plannedSample({ position, repetition }))
    const run = await database.begin({}, planned)
    const inOrder = [3, 0, 1, 2].map((place) => planned[place]?.id)
    expect(await samples().pending(run.id)).toEqual(inOrder)
    const overdue = await samples().overdue(1_000)
    expect(overdue.filter((id) => inOrder.includes(id))).toEqual(inOrder)
    await database.completeSample(planned[3]?.id ?? '')
    await database.leaseSample(planned[0]?.id ?? '')
    expect(await samples().pending(run.id)).toEqual(inOrder.slice(2))
  })

  it('are overdue when they are due, longest wait first', async () => {
    const { ids } = await pendingSamples(4)
    const [first = '', second = '', leased = '', waiting = ''] = ids
    const longAgo = `UPDATE eval_sample SET due_at = now() - $2 * interval '1 day' WHERE id = $1`
    await database.operator.query(longAgo, [second, 20])
    await database.operator.query(longAgo, [first, 10])
    await database.leaseSample(leased)
    await samples().release(await database.leaseSample(waiting), later)
    expect(await samples().overdue(1)).toEqual([second])
    expect(await samples().overdue(2)).toEqual([second, first])
    expect(await samples().overdue(1_000)).not.toEqual(expect.arrayContaining([leased]))
    await database.passTime('eval_sample', leased)
    const overdue = await samples().overdue(1_000)
    expect([overdue.includes(leased), overdue.includes(waiting)]).toEqual([true, false])
  })

  it('are none when every sample is finished or dead-lettered', async () => {
    const { run, ids } = await pendingSamples(2)
    const [one = '', other = ''] = ids
    await database.completeSample(one)
    expect(await samples().isOver(run.id)).toBe(false)
    await samples().release(await database.leaseSample(other), later)
    expect(await samples().isOver(run.id)).toBe(false)
    await database.passTime('eval_sample', other)
    await samples().release(await database.leaseSample(other), { ...later, kind: 'dead_lettered' })
    expect(await samples().isOver(run.id)).toBe(true)
  })
})

it('reports other samples in progress, and whether one has a smaller id', async () => {
  const { ids, run } = await pendingSamples(3)
  const [first = '', second = '', third = ''] = ids.toSorted()
  const { ids: others } = await pendingSamples(1)
  await database.leaseSample(others[0] ?? '')
  const of = async (id: string) => samples().othersInProgress({ id, run })
  const [held] = [await database.leaseSample(second)]
  expect(await of(second)).toEqual({ mayRelease: false, hasEarlier: false })
  await database.leaseSample(third)
  expect([await of(first), await of(second), await of(third)]).toEqual([
    { mayRelease: true, hasEarlier: false },
    { mayRelease: true, hasEarlier: false },
    { mayRelease: true, hasEarlier: true },
  ])
  await samples().setWaitsForCap(held, true)
  expect(await of(third)).toEqual({ mayRelease: false, hasEarlier: true })
  await samples().setWaitsForCap(held, false)
  expect(await of(third)).toEqual({ mayRelease: true, hasEarlier: true })
  await samples().complete(held, end)
  expect(await of(third)).toEqual({ mayRelease: false, hasEarlier: false })
  await database.passTime('eval_sample', third)
  expect(await of(first)).toEqual({ mayRelease: false, hasEarlier: false })
})

it('counts the samples that reached the spend cap', async () => {
  const { run, ids } = await pendingSamples(3)
  expect(await samples().countOverCap(run.id)).toBe(0)
  for (const [index, failure] of (['over_cap', 'gone', null] as const).entries()) {
    await database.completeSample(ids[index] ?? '', { outcomes: ['error'], failure })
  }
  expect(await samples().countOverCap(run.id)).toBe(1)
})
