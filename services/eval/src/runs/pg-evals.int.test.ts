import { randomUUID } from 'node:crypto'
import { buildReport } from '../report/build-report.ts'
import { reportInput } from '../report/measured-samples.fixture.ts'
import { createPgSamples } from '../samples/pg-samples.ts'
import { evalRequest, modelAnswer, newEval, pairVerdict, plannedSample } from './eval.fixture.ts'
import { type EvalDatabase, evalDatabase, leaseMs } from './eval-database.fixture.ts'
import type { EvalEnd } from './eval-run.ts'
import type { EvalFilter } from './eval-store.ts'
import { createPgEvals } from './pg-evals.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database?.drop())

const evals = () => createPgEvals(database.pool)
const samples = () => createPgSamples(database.pool)
const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 13, minute))
const report = buildReport(reportInput([]))
const done: EvalEnd = { status: 'DONE', report, error: null }

const countSamples = async (runId: string) => {
  const text = 'SELECT count(*)::int AS n FROM eval_sample WHERE run_id = $1'
  return (await database.operator.query(text, [runId])).rows[0].n
}
const isReady = async (id: string) => (await evals().ready(1_000)).includes(id)

describe('an eval', () => {
  it('is stored as requested and visible only to its workspace', async () => {
    const judge = { model: 'sim/judge', rubric: null, criterionId: randomUUID(), trust: 'trustworthy' } as const
    const run = newEval({ request: evalRequest({ name: 'ü \\ "x"', seed: -3 }), judge, maxCostNano: 9_000_000_000n })
    const stored = { ...run, status: 'PENDING', samplesTotal: null, report: null, error: null, finishedAt: null }
    expect(await evals().create(run)).toMatchObject(stored)
    expect(await evals().get(run)).toMatchObject(stored)
    expect(await evals().get({ ...run, workspaceId: randomUUID() })).toBeNull()
    expect(await evals().get({ ...run, id: randomUUID() })).toBeNull()
  })

  it('is created once under one id', async () => {
    const run = newEval()
    const both = await Promise.allSettled([evals().create(run), evals().create(run)])
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })
})

describe('the lease of an eval', () => {
  it('is given to one of many concurrent processes until it ends', async () => {
    const { id } = await database.create()
    const leaseMany = () => Promise.all(Array.from({ length: 12 }, () => evals().lease(id, leaseMs)))
    expect((await leaseMany()).filter((leased) => leased !== null)).toMatchObject([{ generation: 1, attempts: 1 }])
    await database.passTime('eval_run', id)
    expect((await leaseMany()).filter((leased) => leased !== null)).toMatchObject([{ generation: 2, attempts: 2 }])
  })

  it('is renewed only by its holder', async () => {
    const { id } = await database.create()
    const lost = await database.leaseEval(id)
    await database.passTime('eval_run', id)
    await evals().renew(lost, leaseMs)
    expect(await evals().lease(id, leaseMs)).toBeNull()
    await database.passTime('eval_run', id)
    const own = await database.leaseEval(id)
    await database.passTime('eval_run', id)
    await evals().renew(lost, leaseMs)
    expect(await evals().lease(id, leaseMs)).toMatchObject({ generation: own.generation + 1 })
  })

  it('that was lost prevents every write', async () => {
    const { id, ...run } = await database.create()
    const lost = await database.leaseEval(id)
    await database.passTime('eval_run', id)
    const own = await database.leaseEval(id)
    expect(await evals().begin(lost, [plannedSample()])).toBe(false)
    expect(await evals().finish(lost, done, at(1))).toBe(false)
    await evals().release(lost, { delayMs: 0, hasFailed: false })
    expect(await evals().lease(id, leaseMs)).toBeNull()
    expect([await countSamples(id), (await evals().get({ ...run, id }))?.status]).toEqual([0, 'PENDING'])
    expect(await evals().begin(own, [plannedSample()])).toBe(true)
  })

  it('that is returned counts as an attempt only after a failure', async () => {
    const { id } = await database.create()
    for (const [hasFailed, attempts] of [
      [false, 0],
      [true, 1],
      [false, 1],
      [true, 2],
    ] as const) {
      await evals().release(await database.leaseEval(id), { delayMs: leaseMs, hasFailed })
      expect(await evals().lease(id, leaseMs)).toBeNull()
      expect(await database.evalRow(id)).toMatchObject({ attempts })
      await database.passTime('eval_run', id)
    }
  })

  it('is not given for an eval that has ended', async () => {
    const { id } = await database.create()
    await evals().finish(await database.leaseEval(id), { status: 'FAILED', report: null, error: 'x' }, at(1))
    expect(await evals().lease(id, leaseMs)).toBeNull()
  })
})

describe('beginning', () => {
  it('saves all samples as pending and returns the lease', async () => {
    const { id, workspaceId } = await database.create()
    const planned = Array.from({ length: 120 }, (_, position) => plannedSample({ position }))
    expect(await evals().begin(await database.leaseEval(id), planned)).toBe(true)
    expect(await samples().pending(id)).toEqual(planned.map((sample) => sample.id))
    expect(await evals().get({ id, workspaceId })).toMatchObject({ status: 'RUNNING', samplesTotal: 120 })
    expect(await database.leaseEval(id)).toMatchObject({ attempts: 1 })
  })

  it('saves none when one cannot be saved, and can be retried', async () => {
    const { id, workspaceId } = await database.create()
    const leased = await database.leaseEval(id)
    const planned = Array.from({ length: 60 }, (_, position) => plannedSample({ position }))
    const broken = plannedSample({ position: 60, logId: 'no UUID' })
    await expect(evals().begin(leased, [...planned, broken])).rejects.toThrow('uuid')
    expect([await countSamples(id), (await evals().get({ id, workspaceId }))?.status]).toEqual([0, 'PENDING'])
    expect(await evals().begin(leased, planned)).toBe(true)
    expect(await countSamples(id)).toBe(60)
  })

  it('happens once, even when one lease begins twice at the same time', async () => {
    const { id } = await database.create()
    const leased = await database.leaseEval(id)
    const begun = await Promise.all([1, 2].map(() => evals().begin(leased, [plannedSample()])))
    expect([begun.toSorted(), await countSamples(id)]).toEqual([[false, true], 1])
  })

  it('fails for an eval that was cancelled in the meantime', async () => {
    const run = await database.create()
    const leased = await database.leaseEval(run.id)
    await evals().cancel(run, at(1))
    expect([await evals().begin(leased, [plannedSample()]), await countSamples(run.id)]).toEqual([false, 0])
  })
})

describe('the end', () => {
  it('is saved with the report, once', async () => {
    const run = await database.create()
    const leased = await database.leaseEval(run.id)
    expect(await evals().finish(leased, done, at(1))).toBe(true)
    expect(await evals().finish(leased, { status: 'FAILED', report: null, error: 'x' }, at(2))).toBe(false)
    expect(await evals().get(run)).toMatchObject({ status: 'DONE', report, error: null, finishedAt: at(1) })
    expect(await evals().cancel(run, at(3))).toBeNull()
  })

  it('removes characters from an error that Postgres cannot store', async () => {
    const run = await database.create()
    const end = { status: 'FAILED', report: null, error: 'no\0thing' } as const
    expect(await evals().finish(await database.leaseEval(run.id), end, at(1))).toBe(true)
    expect(await evals().get(run)).toMatchObject({ status: 'FAILED', error: 'nothing' })
  })

  it('of a cancelled eval adds only its report', async () => {
    const run = await database.create()
    const leased = await database.leaseEval(run.id)
    expect(await evals().cancel(run, at(1))).toMatchObject({ status: 'CANCELLED', finishedAt: at(1), report: null })
    expect(await evals().finish(leased, { ...done, error: 'x', status: 'FAILED' }, at(2))).toBe(true)
    expect(await evals().get(run)).toMatchObject({ status: 'CANCELLED', report, error: null, finishedAt: at(1) })
    expect(await evals().lease(run.id, leaseMs)).toBeNull()
  })

  it('is either CANCELLED or DONE when both happen at once', async () => {
    for (let time = 0; time < 10; time += 1) {
      const run = await database.create()
      const leased = await database.leaseEval(run.id)
      const [cancelled, finished] = await Promise.all([evals().cancel(run, at(1)), evals().finish(leased, done, at(2))])
      const status = cancelled === null ? 'DONE' : 'CANCELLED'
      expect([finished, await evals().get(run)]).toMatchObject([true, { status, report }])
    }
  })

  it('cannot be caused by another workspace', async () => {
    const run = await database.create()
    expect(await evals().cancel({ ...run, workspaceId: randomUUID() }, at(1))).toBeNull()
    expect(await evals().cancel({ ...run, id: randomUUID() }, at(1))).toBeNull()
    expect(await evals().get(run)).toMatchObject({ status: 'PENDING' })
  })

  it('by cancelling happens once', async () => {
    const run = await database.create()
    const all = await Promise.all(Array.from({ length: 6 }, () => evals().cancel(run, at(1))))
    expect(all.filter((each) => each !== null)).toHaveLength(1)
  })
})

describe('the ready evals', () => {
  it('are those without a lease and without unfinished samples', async () => {
    const run = await database.create()
    expect(await isReady(run.id)).toBe(true)
    const leased = await database.leaseEval(run.id)
    expect(await isReady(run.id)).toBe(false)
    const [one, other] = [plannedSample(), plannedSample({ position: 1 })]
    await evals().begin(leased, [one, other])
    expect(await isReady(run.id)).toBe(false)
    await database.completeSample(one.id)
    expect(await isReady(run.id)).toBe(false)
    const sample = await database.leaseSample(other.id)
    expect(await isReady(run.id)).toBe(false)
    await samples().release(sample, { error: 'x', delayMs: 0, kind: 'dead_lettered' })
    expect(await isReady(run.id)).toBe(true)
    await evals().finish(await database.leaseEval(run.id), done, at(1))
    expect(await isReady(run.id)).toBe(false)
  })

  it('include a cancelled eval without samples in progress, until it has its report', async () => {
    const [pending, busy] = [plannedSample(), plannedSample({ position: 1 })]
    const run = await database.begin({}, [pending, busy])
    const sample = await database.leaseSample(busy.id)
    await evals().cancel(run, at(1))
    expect([await isReady(run.id), await samples().isOver(run.id)]).toEqual([false, false])
    await samples().complete(sample, { outcomes: ['win'], failure: null })
    expect([await isReady(run.id), await samples().isOver(run.id)]).toEqual([true, true])
    await evals().finish(await database.leaseEval(run.id), done, at(2))
    expect(await isReady(run.id)).toBe(false)
  })

  it('include a cancelled eval whose worker died', async () => {
    const sample = plannedSample()
    const run = await database.begin({}, [sample])
    await database.leaseSample(sample.id)
    await evals().cancel(run, at(1))
    await database.passTime('eval_sample', sample.id)
    expect([await isReady(run.id), await samples().isOver(run.id)]).toEqual([true, true])
  })

  it('come oldest first and up to the limit', async () => {
    const early = [3, 1, 2].map((day) => newEval({ createdAt: new Date(Date.UTC(2020, 0, day)) }))
    for (const run of early) await evals().create(run)
    expect(await evals().ready(2)).toEqual([early[1]?.id, early[2]?.id])
  })
})

describe('the list', () => {
  it('applies each filter, newest first, page by page', async () => {
    const workspaceId = randomUUID()
    const models = [
      ['sim/a', ['sim/b']],
      ['sim/a', ['sim/c', 'sim/b']],
      ['sim/b', ['sim/a']],
      ['sim/a', ['sim/c']],
    ] as const
    const runs = models.map(([baseline, candidates], minute) => {
      const request = evalRequest({ baseline_model: baseline, candidate_models: [...candidates] })
      return newEval({ workspaceId, request, createdAt: at(minute) })
    })
    for (const run of runs) await evals().create(run)
    await database.create()
    await evals().finish(await database.leaseEval(runs[0]?.id ?? ''), done, at(9))
    const found = async (filter: Partial<EvalFilter>) => {
      const page = await evals().list({ workspaceId, limit: 10, offset: 0, ...filter })
      return [page.total, ...page.runs.map(({ id }) => runs.findIndex((run) => run.id === id))]
    }
    expect(await found({})).toEqual([4, 3, 2, 1, 0])
    expect(await found({ limit: 2, offset: 1 })).toEqual([4, 2, 1])
    expect(await found({ offset: 4 })).toEqual([4])
    expect(await found({ status: 'DONE' })).toEqual([1, 0])
    expect(await found({ baselineModel: 'sim/a' })).toEqual([3, 3, 1, 0])
    expect(await found({ candidateModel: 'sim/b' })).toEqual([2, 1, 0])
    expect(await found({ status: 'PENDING', baselineModel: 'sim/a', candidateModel: 'sim/c' })).toEqual([2, 3, 1])
    expect(await found({ candidateModel: 'sim/z' })).toEqual([0])
    expect([await evals().countDone(workspaceId), await evals().countDone(randomUUID())]).toEqual([1, 0])
  })
})

describe('a dataset', () => {
  it('is to be read by evals of its workspace that have not begun', async () => {
    const workspaceId = randomUUID()
    const id = 'ds_00000000000070008000000000000001'
    const of = (filters: object) => newEval({ workspaceId, request: evalRequest({ sample_filters: filters }) })
    const readers = () => evals().countDatasetReaders(workspaceId, id)
    await evals().create(of({ tag: id }))
    expect(await readers()).toBe(0)
    const waiting = await evals().create(of({ dataset_id: id }))
    expect([await readers(), await evals().countDatasetReaders(randomUUID(), id)]).toEqual([1, 0])
    await evals().cancel(waiting, at(1))
    expect(await readers()).toBe(0)
  })
})

describe('progress', () => {
  it('counts finished samples and the costs of this eval, without those of stored answers', async () => {
    const planned = Array.from({ length: 4 }, (_, position) => plannedSample({ position }))
    const ids = planned.map(({ id }) => id)
    const run = await database.begin({}, planned)
    const before = await database.create()
    const of = async () => (await evals().progress([run.id, before.id])).get(run.id)
    expect(await of()).toEqual({ total: 4, done: 0, costNano: 0n, judgeCostNano: 0n, waitingFor: null })
    for (const id of ids.slice(0, 2)) {
      const sample = await database.leaseSample(id)
      await samples().saveAnswer(sample, modelAnswer({ isRecorded: true, costNano: 900_000n }))
      await samples().saveAnswer(sample, modelAnswer({ modelIndex: 1, costNano: 11n }))
      await samples().saveAnswer(sample, modelAnswer({ modelIndex: 2, message: null, error: 'x', costNano: 0n }))
      await samples().saveVerdict(sample, pairVerdict({ costNano: 5n }))
      await samples().saveVerdict(sample, pairVerdict({ isSwapped: true, costNano: 6n }))
    }
    const third = await database.leaseSample(ids[2] ?? '')
    await samples().saveAnswer(third, modelAnswer({ isRecorded: true, costNano: null }))
    await samples().release(third, { error: 'x', delayMs: 0, kind: 'dead_lettered' })
    expect(await of()).toEqual({ total: 4, done: 1, costNano: 22n, judgeCostNano: 22n, waitingFor: null })
    expect((await evals().progress([run.id, before.id])).has(before.id)).toBe(false)
    expect(await evals().progress([])).toEqual(new Map())
  })
})

it('gives the eval role no right to delete', async () => {
  for (const table of ['eval_run', 'eval_sample', 'eval_answer', 'eval_look']) {
    await expect(database.pool.query(`DELETE FROM ${table}`)).rejects.toMatchObject({ code: '42501' })
  }
})
