import type { ScriptedInference } from '@ratchet/judge-kit/fleet/scripted-inference.fixture'
import { WorkPostponed } from '@ratchet/work-kit/leases/decide-retry'
import { evalRequest, plannedSample, question } from '../runs/eval.fixture.ts'
import { type EvalDatabase, evalDatabase } from '../runs/eval-database.fixture.ts'
import { createPgEvals } from '../runs/pg-evals.ts'
import { doSample, type SampleEvent } from './do-sample.ts'
import { evaluateSample } from './evaluate-sample.ts'
import { judgeModel, modelCallsOf, modelsAnswering, preferring } from './evaluated-work.fixture.ts'
import { createPgSamples } from './pg-samples.ts'
import type { LeasedSample, SampleEnd } from './sample.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database?.drop())

const samples = () => createPgSamples(database.pool)
const won: SampleEnd = { outcomes: ['win'], failure: null }

type Evaluate = (sample: LeasedSample) => Promise<SampleEnd>

function depsWith(evaluate: Evaluate) {
  const events: SampleEvent['kind'][] = []
  const enqueued: string[] = []
  const onDone = async (runId: string) => void enqueued.push(runId)
  const onEvent = ({ kind }: SampleEvent) => void events.push(kind)
  const afterSample = async () => {}
  return { deps: { samples: samples(), evaluate, afterSample, onDone, onEvent }, events, enqueued }
}

function evaluatingWith(inference: ScriptedInference): Evaluate {
  const deps = { samples: samples(), ...modelCallsOf(inference) }
  return (sample) => evaluateSample(deps, sample)
}

async function pendingSamples(count = 1) {
  const planned = Array.from({ length: count }, (_, position) => plannedSample({ position }))
  const run = await database.begin({}, planned)
  return { run, ids: planned.map(({ id }) => id), id: planned[0]?.id ?? '' }
}

describe('a sample', () => {
  it('is processed once, however often and by however many workers it is requested', async () => {
    const { id } = await pendingSamples()
    let calls = 0
    const { deps, events } = depsWith(async () => {
      calls += 1
      return won
    })
    await Promise.all(Array.from({ length: 8 }, () => doSample(deps, id)))
    await doSample(deps, id)
    expect([calls, events]).toEqual([1, ['done']])
    expect(await database.sampleRow(id)).toMatchObject({ state: 'done', outcomes: ['win'], attempts: 1 })
  })

  it('saves the result of the lease holder and ignores a worker that lost the lease', async () => {
    const { id } = await pendingSamples()
    const slow = depsWith(async () => {
      await database.passTime('eval_sample', id)
      await doSample(depsWith(async () => won).deps, id)
      return { outcomes: ['loss'], failure: null }
    })
    await doSample(slow.deps, id)
    expect(slow.events).toEqual(['lost'])
    expect(await database.sampleRow(id)).toMatchObject({ outcomes: ['win'] })
  })

  it('without a result is reported as failed', async () => {
    const { id } = await pendingSamples()
    const { deps, events } = depsWith(async () => ({ outcomes: ['error'], failure: 'gone' }))
    await doSample(deps, id)
    expect(events).toEqual(['failed'])
  })

  it('is retried after a failure, and dead-lettered after five', async () => {
    const { id, run } = await pendingSamples()
    const { deps, events, enqueued } = depsWith(async () => {
      throw new Error('broken')
    })
    await doSample(deps, id)
    await doSample(deps, id)
    expect(events).toEqual(['retried'])
    expect(await database.sampleRow(id)).toMatchObject({ state: 'pending', failures: 1, last_error: 'broken' })
    for (let attempt = 2; attempt <= 6; attempt += 1) {
      await database.passTime('eval_sample', id)
      await doSample(deps, id)
    }
    expect(events).toEqual(['retried', 'retried', 'retried', 'retried', 'dead_lettered'])
    expect(await database.sampleRow(id)).toMatchObject({ state: 'poisoned', last_error: 'broken', outcomes: ['error'] })
    expect(enqueued).toEqual([run.id])
  })

  it('that is postponed has no failed attempt', async () => {
    const { id } = await pendingSamples()
    const { deps, events } = depsWith(async () => {
      throw new WorkPostponed('the wallet is empty', 60_000)
    })
    for (let time = 0; time < 10; time += 1) {
      await doSample(deps, id)
      await doSample(deps, id)
      await database.passTime('eval_sample', id)
    }
    expect(new Set(events)).toEqual(new Set(['postponed']))
    expect(events).toHaveLength(10)
    expect(await database.sampleRow(id)).toMatchObject({ state: 'pending', attempts: 0, failures: 0 })
  })

  it('notifies workers of its eval when no sample is unfinished', async () => {
    const { ids, run } = await pendingSamples(3)
    const { deps, enqueued } = depsWith(async () => won)
    for (const id of ids.slice(0, 2)) await doSample(deps, id)
    expect(enqueued).toEqual([])
    await doSample(deps, ids[2] ?? '')
    expect(enqueued).toEqual([run.id])
  })

  it('of a cancelled eval is not started, and the one in progress notifies workers', async () => {
    const { ids, run } = await pendingSamples(2)
    const [one = '', other = ''] = ids
    const { deps, events, enqueued } = depsWith(async () => {
      await createPgEvals(database.pool).cancel(run, new Date())
      return won
    })
    await doSample(deps, one)
    await doSample(deps, other)
    expect([events, enqueued]).toEqual([['done'], [run.id]])
    expect(await database.sampleRow(other)).toMatchObject({ state: 'pending' })
  })
})

describe('a worker that ends at any moment', () => {
  it('leaves its saved results to the next one, which does not repeat the calls', async () => {
    const request = evalRequest({ candidate_models: ['sim/large', 'sim/small'] })
    const planned = plannedSample({ prompt: { messages: [question('Hi?')], tools: null, responseFormat: null } })
    const [broken, whole] = [planned, plannedSample({ ...planned, id: plannedSample().id, position: 1 })]
    await database.begin({ request }, [broken, whole])
    const judge = { [judgeModel]: preferring('sim/small') }
    let isFirst = true
    const dying = modelsAnswering({
      ...judge,
      [judgeModel]: (body) => {
        if (!isFirst) return preferring('sim/small')(body)
        isFirst = false
        throw new Error('the process ended')
      },
    })
    await evaluatingWith(dying)(await database.leaseSample(broken.id)).catch(() => undefined)
    const before = dying.charged.length
    await database.passTime('eval_sample', broken.id)
    await doSample(depsWith(evaluatingWith(dying)).deps, broken.id)
    await doSample(depsWith(evaluatingWith(modelsAnswering(judge))).deps, whole.id)
    expect(before).toBeGreaterThanOrEqual(3)
    expect(dying.charged).toHaveLength(3 + 4)
    expect(dying.calls).toHaveLength(3 + 4 + 1)
    const [one, other] = [await database.sampleRow(broken.id), await database.sampleRow(whole.id)]
    expect([one.outcomes, other.outcomes]).toEqual([
      ['tie', 'win'],
      ['tie', 'win'],
    ])
  })

  it('is charged once for calls that two workers make at the same time', async () => {
    const { id, run } = await pendingSamples()
    const inference = modelsAnswering()
    const evaluate = evaluatingWith(inference)
    const lost = await database.leaseSample(id)
    await database.passTime('eval_sample', id)
    const own = await database.leaseSample(id)
    const ends = await Promise.all([evaluate(lost), evaluate(own)])
    expect(ends[0]).toEqual(ends[1])
    expect(await Promise.all([lost, own].map((each, place) => samples().complete(each, ends[place] ?? won)))).toEqual([
      false,
      true,
    ])
    expect(inference.charged).toHaveLength(4)
    const progress = (await createPgEvals(database.pool).progress([run.id])).get(run.id)
    expect(progress).toEqual({ total: 1, done: 1, costNano: 14_000n, judgeCostNano: 14_000n, waitingFor: null })
  })
})
