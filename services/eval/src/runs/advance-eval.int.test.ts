import { randomUUID } from 'node:crypto'
import { LoggingIsOff } from '@ratchet/judge-kit/fleet/log-reader'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { PromptSource } from '../prompts/prompt-source.ts'
import { createPgSamples } from '../samples/pg-samples.ts'
import type { DrawnPrompt, SampleEnd } from '../samples/sample.ts'
import { advanceEval, type EvalEvent } from './advance-eval.ts'
import { drawnPrompt, evalRequest, modelAnswer, pairVerdict } from './eval.fixture.ts'
import { type EvalDatabase, evalDatabase } from './eval-database.fixture.ts'
import type { NewEval } from './eval-run.ts'
import { createPgEvals } from './pg-evals.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database?.drop())

const evals = () => createPgEvals(database.pool)
const samples = () => createPgSamples(database.pool)
const now = () => new Date('2026-11-21T13:00:00Z')
const prompts = (count: number) => Array.from({ length: count }, () => drawnPrompt())
const get = (run: NewEval) => evals().get(run)

type Draw = PromptSource['draw']

function advancing(draw: Draw | readonly DrawnPrompt[]) {
  const events: EvalEvent['kind'][] = []
  const enqueued: (readonly string[])[] = []
  const notified: string[] = []
  const requests: Parameters<Draw>[0][] = []
  const source: PromptSource = {
    survey: async () => {
      throw new Error('a worker does not survey')
    },
    async draw(order) {
      requests.push(order)
      return typeof draw === 'function' ? draw(order) : draw
    },
  }
  const deps = {
    evals: evals(),
    samples: samples(),
    sourceOf: () => source,
    now,
    enqueueSamples: async (ids: readonly string[]) => void enqueued.push(ids),
    notifyEval: async ({ id }: { readonly id: string }) => void notified.push(id),
    onEvent: ({ kind }: EvalEvent) => void events.push(kind),
  }
  return { events, enqueued, notified, requests, advance: (id: string) => advanceEval(deps, id) }
}

/** An eval that has begun, with five samples. */
async function begun(more: Partial<NewEval> = {}) {
  const run = await database.create(more)
  const work = advancing(prompts(5))
  await work.advance(run.id)
  return { run, work, ids: await samples().pending(run.id) }
}

/** Completes samples with typical results. */
async function finishSamples(ids: readonly string[], end: Partial<SampleEnd> = {}): Promise<void> {
  for (const id of ids) {
    const leased = await database.leaseSample(id)
    for (const modelIndex of [0, 1]) await samples().saveAnswer(leased, modelAnswer({ modelIndex }))
    for (const isSwapped of [false, true]) {
      await samples().saveVerdict(leased, pairVerdict({ isSwapped, preference: isSwapped ? 'first' : 'second' }))
    }
    await samples().complete(leased, { outcomes: ['win'], failure: null, ...end })
  }
}

describe('beginning', () => {
  it('freezes the drawn prompts, once per repetition, and notifies workers', async () => {
    const run = await database.create({ request: evalRequest({ repetitions: 2, seed: 3 }) })
    const drawn = prompts(6)
    const { advance, events, enqueued, requests } = advancing(drawn)
    await advance(run.id)
    expect(await get(run)).toMatchObject({ status: 'RUNNING', samplesTotal: 12 })
    expect(events).toEqual(['begun'])
    expect(enqueued.flat().toSorted()).toEqual([...(await samples().pending(run.id))].toSorted())
    expect(new Set(enqueued.flat()).size).toBe(12)
    expect(requests).toMatchObject([
      { identity: { workspaceId: run.workspaceId, userId: run.createdBy, purpose: 'eval' }, request: { seed: 3 } },
    ])
    for (const id of enqueued.flat()) {
      const { position, repetition, prompt, cluster } = await database.leaseSample(id)
      expect(drawn[position]).toMatchObject({ prompt, cluster })
      expect([0, 1]).toContain(repetition)
    }
  })

  it('draws the same samples in every worker', async () => {
    const run = await database.create()
    const leased = await database.leaseEval(run.id)
    await database.passTime('eval_run', run.id)
    const drawn = prompts(5)
    const { advance, events } = advancing(async () => {
      // Another worker has drawn them in the meantime.
      await database.passTime('eval_run', run.id)
      await advancing(drawn).advance(run.id)
      return drawn
    })
    await advance(run.id)
    expect([events, leased.id, (await samples().pending(run.id)).length]).toEqual([['lost'], run.id, 5])
  })

  it.each([0, 4])('FAILS with %d prompts', async (count) => {
    const run = await database.create()
    const { advance, events, enqueued } = advancing(prompts(count))
    await advance(run.id)
    const error = expect.stringContaining(`${count} distinct prompts`)
    expect(await get(run)).toMatchObject({ status: 'FAILED', error, report: null, finishedAt: now() })
    expect([events, enqueued]).toEqual([['failed'], []])
  })

  it.each<[string, Error, string]>([
    ['request logging is off', new LoggingIsOff(), 'Request logging'],
    ['the dataset does not exist', new ServiceError('not_found', 'There is no dataset.'), 'There is no dataset.'],
    ['logging refuses', new FleetCallError('No such filter.', { status: 400 }), 'No such filter.'],
  ])('FAILS at once when %s', async (_case, thrown, error) => {
    const run = await database.create()
    const { advance, events } = advancing(() => Promise.reject(thrown))
    await advance(run.id)
    expect(await get(run)).toMatchObject({ status: 'FAILED', error: expect.stringContaining(error), report: null })
    expect(events).toEqual(['failed'])
  })

  it.each<[Error, string]>([
    [new Error('a secret'), 'internal error'],
    [new FleetCallError('logging did not answer', { status: 0 }), 'logging did not answer'],
  ])('is tried five times before it FAILS: %s', async (thrown, error) => {
    const run = await database.create()
    const { advance, events } = advancing(() => Promise.reject(thrown))
    for (let step = 0; step < 6; step += 1) {
      await advance(run.id)
      await advance(run.id)
      await database.passTime('eval_run', run.id)
    }
    expect(events).toEqual(['retried', 'retried', 'retried', 'retried', 'failed'])
    expect(await get(run)).toMatchObject({ status: 'FAILED', error: expect.stringContaining(error), report: null })
  })

  it('resets the count of failed attempts', async () => {
    const run = await database.create()
    const broken = advancing(() => Promise.reject(new Error('broken')))
    for (let step = 0; step < 4; step += 1) {
      await broken.advance(run.id)
      await database.passTime('eval_run', run.id)
    }
    await advancing(prompts(5)).advance(run.id)
    expect(await database.evalRow(run.id)).toMatchObject({ status: 'RUNNING', attempts: 0 })
  })

  it('happens once when many workers begin at once', async () => {
    const run = await database.create()
    const { advance, events, enqueued } = advancing(prompts(5))
    await Promise.all(Array.from({ length: 6 }, () => advance(run.id)))
    const begins = events.filter((kind) => kind === 'begun')
    expect([begins.length, enqueued.length, (await samples().pending(run.id)).length]).toEqual([1, 1, 5])
  })
})

describe('an eval with unfinished samples', () => {
  it('waits, however often it is advanced', async () => {
    const { run, work, ids } = await begun()
    await finishSamples(ids.slice(1))
    for (let time = 0; time < 8; time += 1) {
      await work.advance(run.id)
      await database.passTime('eval_run', run.id)
    }
    expect(await database.evalRow(run.id)).toMatchObject({ status: 'RUNNING', attempts: 0, report: null })
    expect(work.events).toEqual(['begun', ...new Array(8).fill('waiting')])
    expect(work.notified).toEqual([run.id])
  })
})

describe('the end', () => {
  it('is a report of the measurements, built once', async () => {
    const { run, work, ids } = await begun()
    await finishSamples(ids)
    await Promise.all(Array.from({ length: 4 }, () => work.advance(run.id)))
    await work.advance(run.id)
    expect(work.events).toEqual(['begun', 'done'])
    expect(work.notified).toEqual([run.id, run.id])
    expect(await get(run)).toMatchObject({
      status: 'DONE',
      error: null,
      finishedAt: now(),
      report: { samples_total: 5, samples_judged: 5, samples_failed: 0, candidates: { 'sim/large': { wins: 5 } } },
    })
    expect(await evals().ready(1_000)).not.toContain(run.id)
  })

  it('is the same report in whichever order the samples finished', async () => {
    const drawn = prompts(8)
    const reports = []
    for (const order of [(ids: readonly string[]) => ids, (ids: readonly string[]) => ids.toReversed()]) {
      const run = await database.create()
      const { advance } = advancing(drawn)
      await advance(run.id)
      await finishSamples(order(await samples().pending(run.id)))
      await advance(run.id)
      reports.push((await get(run))?.report)
    }
    expect(reports[0]).not.toBeNull()
    expect(reports[1]).toEqual(reports[0])
  })

  it('counts failed samples, and is FAILED when all failed', async () => {
    const [some, none] = [await begun(), await begun()]
    await finishSamples(some.ids.slice(0, 2), { outcomes: ['error'], failure: 'gone' })
    await finishSamples(some.ids.slice(2))
    await finishSamples(none.ids, { outcomes: ['error'], failure: 'gone' })
    for (const { work, run } of [some, none]) await work.advance(run.id)
    expect(await get(some.run)).toMatchObject({ status: 'DONE', report: { samples_total: 5, samples_failed: 2 } })
    expect(await get(none.run)).toMatchObject({
      status: 'FAILED',
      error: expect.any(String),
      report: { samples_total: 5, samples_failed: 5 },
    })
  })

  it('is FAILED with a report when the spend cap is reached', async () => {
    const { run, work, ids } = await begun()
    await finishSamples(ids.slice(0, 2))
    await finishSamples(ids.slice(2), { outcomes: ['error'], failure: 'over_cap' })
    await work.advance(run.id)
    expect(await get(run)).toMatchObject({
      status: 'FAILED',
      error: expect.stringMatching(/max_cost_usd.*3 of 5 samples/),
      report: { samples_total: 5, samples_judged: 2, samples_failed: 3 },
    })
    expect(work.events).toEqual(['begun', 'failed'])
  })
})

describe('an eval that is cancelled', () => {
  it('gets a report of the samples finished by then', async () => {
    const { run, work, ids } = await begun()
    await finishSamples(ids.slice(0, 2))
    const cancelledAt = new Date('2026-11-21T12:30:00Z')
    await evals().cancel(run, cancelledAt)
    await work.advance(run.id)
    expect(await get(run)).toMatchObject({
      status: 'CANCELLED',
      error: null,
      finishedAt: cancelledAt,
      report: { samples_total: 5, samples_judged: 2, samples_failed: 3 },
    })
    await work.advance(run.id)
    expect(work.events).toEqual(['begun', 'cancelled'])
  })

  it('waits for samples in progress', async () => {
    const { run, work, ids } = await begun()
    const leased = await database.leaseSample(ids[0] ?? '')
    await evals().cancel(run, now())
    await work.advance(run.id)
    expect(await get(run)).toMatchObject({ status: 'CANCELLED', report: null })
    await samples().complete(leased, { outcomes: ['error'], failure: null })
    await database.passTime('eval_run', run.id)
    await work.advance(run.id)
    expect((await get(run))?.report).toMatchObject({ samples_total: 5 })
    expect(work.events).toEqual(['begun', 'waiting', 'cancelled'])
  })

  it('before it has begun gets an empty report and draws nothing', async () => {
    const run = await database.create()
    await evals().cancel(run, now())
    const { advance, events, requests } = advancing(prompts(5))
    await advance(run.id)
    expect(await get(run)).toMatchObject({ status: 'CANCELLED', report: { samples_total: 0, samples_judged: 0 } })
    expect([events, requests]).toEqual([['cancelled'], []])
  })

  it('while its samples are drawn saves none of them', async () => {
    const run = await database.create()
    const { advance, events, enqueued } = advancing(async () => {
      await evals().cancel(run, now())
      return prompts(5)
    })
    await advance(run.id)
    expect([events, enqueued, await samples().pending(run.id)]).toEqual([['lost'], [], []])
    await database.passTime('eval_run', run.id)
    await advance(run.id)
    expect(await get(run)).toMatchObject({ status: 'CANCELLED', report: { samples_total: 0 } })
  })

  it('while a step fails remains cancelled', async () => {
    const run = await database.create()
    const { advance } = advancing(async () => {
      await evals().cancel(run, now())
      throw new LoggingIsOff()
    })
    await advance(run.id)
    expect(await get(run)).toMatchObject({ status: 'CANCELLED', error: null, report: null })
    await advance(run.id)
    expect(await get(run)).toMatchObject({ status: 'CANCELLED', error: null, report: { samples_total: 0 } })
  })
})

it('ignores evals that have ended and unknown ids', async () => {
  const { advance, events } = advancing(prompts(5))
  const run = await database.create()
  await evals().finish(await database.leaseEval(run.id), { status: 'FAILED', report: null, error: 'x' }, now())
  await advance(run.id)
  await advance(randomUUID())
  expect([events, (await get(run))?.error]).toEqual([[], 'x'])
})
