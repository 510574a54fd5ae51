import { randomUUID } from 'node:crypto'
import { buildReport } from '../report/build-report.ts'
import { reportInput } from '../report/measured-samples.fixture.ts'
import { evalRequest, newEval, plannedSample } from '../runs/eval.fixture.ts'
import { type EvalDatabase, evalDatabase } from '../runs/eval-database.fixture.ts'
import type { EvalEnd, NewEval } from '../runs/eval-run.ts'
import { createPgEvals } from '../runs/pg-evals.ts'
import { createPgEvidence } from './pg-evidence.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database?.drop())

const evals = () => createPgEvals(database.pool)
const evidence = () => createPgEvidence(database.pool)
const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 13, minute))
const report = buildReport(reportInput([]))
const done: EvalEnd = { status: 'DONE', report, error: null }

describe('evidence', () => {
  const workspaceId = randomUUID()
  const since = at(10)
  const compared = async (
    baseline: string,
    candidates: string[],
    { minute = 20, end = done, whose = workspaceId } = {},
  ) => {
    const request = evalRequest({ baseline_model: baseline, candidate_models: candidates })
    const run = await database.create({ workspaceId: whose, request })
    await evals().finish(await database.leaseEval(run.id), end, at(minute))
    return run.id
  }
  const found = async (baselineModel: string, candidateModel: string) => {
    const all = await evidence().find({ workspaceId, baselineModel, candidateModel, since })
    return all.map(({ id, candidate }) => [id, candidate])
  }

  it('is the DONE evals of this workspace and these models since then, newest first', async () => {
    const older = await compared('acme/a', ['acme/b'], { minute: 10 })
    const newer = await compared('acme/a', ['acme/c', 'acme/b'], { minute: 30 })
    await compared('acme/a', ['acme/b'], { minute: 9 })
    await compared('acme/a', ['acme/b'], { end: { status: 'FAILED', report: null, error: 'x' } })
    await compared('acme/a', ['acme/b'], { whose: randomUUID() })
    await compared('acme/b', ['acme/a'])
    await database.create({
      workspaceId,
      request: evalRequest({ baseline_model: 'acme/a', candidate_models: ['acme/b'] }),
    })
    expect(await found('acme/a', 'acme/b')).toEqual([
      [newer, 'acme/b'],
      [older, 'acme/b'],
    ])
    const [first] = await evidence().find({ workspaceId, baselineModel: 'acme/a', candidateModel: 'acme/b', since })
    expect(first).toEqual({
      id: newer,
      candidate: 'acme/b',
      place: 1,
      request: evalRequest({ baseline_model: 'acme/a', candidate_models: ['acme/c', 'acme/b'] }),
      judge: newEval().judge,
      attempt: expect.any(Number),
      peopleAttempt: null,
      report,
      finishedAt: at(30),
    })
  })

  it('matches names with and without their provider', async () => {
    const short = await compared('x', ['y'])
    const whole = await compared('one/x', ['one/y'], { minute: 21 })
    const both = await compared('one/x', ['y', 'one/y'], { minute: 22 })
    await compared('two/one/x', ['two/one/y'])
    await compared('two/x', ['two/y'], { minute: 23 })
    expect(await found('one/x', 'one/y')).toEqual([
      [both, 'one/y'],
      [whole, 'one/y'],
      [short, 'y'],
    ])
    expect((await found('x', 'y')).map(([, candidate]) => candidate)).toEqual(['two/y', 'y', 'one/y', 'y'])
    expect(await found('x_', 'y')).toEqual([])
    expect(await found('%', '%')).toEqual([])
  })

  it('is at most fifty evals', async () => {
    for (let n = 0; n < 51; n += 1) await compared('many/a', ['many/b'])
    expect(await found('many/a', 'many/b')).toHaveLength(50)
  })
})

describe('the attempts and the used prompts', () => {
  const workspaceId = randomUUID()
  const request = evalRequest({ baseline_model: 'acme/a', candidate_models: ['acme/b'] })
  const days = (day: number) => new Date(Date.UTC(2026, 9, 1 + day))
  const prompt = (name: string) => ({ messages: [{ role: 'user', content: name }], tools: null, responseFormat: null })

  /** Creates an eval on a day with a sample for each prompt, all finished, and ends it in this way. */
  async function evalOn(
    day: number,
    end: EvalEnd | 'CANCELLED' | 'RUNNING',
    { prompts = [String(day)], more = {} }: { prompts?: readonly string[]; more?: Partial<NewEval> } = {},
  ) {
    const samples = prompts.map((name, position) => plannedSample({ position, prompt: prompt(name) }))
    const run = await database.begin({ workspaceId, request, createdAt: days(day), ...more }, samples)
    for (const { id } of samples) await database.completeSample(id)
    if (end === 'CANCELLED') await evals().cancel({ workspaceId: run.workspaceId, id: run.id }, days(day))
    else if (end !== 'RUNNING') await evals().finish(await database.leaseEval(run.id), end, days(day))
    return run.id
  }
  const attempts = async () => {
    const filter = { workspaceId, baselineModel: 'acme/a', candidateModel: 'acme/b', since: days(0) }
    return new Map((await evidence().find(filter)).map(({ id, attempt }) => [id, attempt]))
  }

  it('count earlier evals of the two models, however they ended, within 30 days', async () => {
    const first = await evalOn(1, done)
    await evalOn(2, 'CANCELLED')
    await evalOn(3, { status: 'FAILED', report, error: 'x' })
    await evalOn(4, 'RUNNING')
    await evalOn(5, done, {
      more: { request: evalRequest({ baseline_model: 'acme/a', candidate_models: ['acme/c'] }) },
    })
    await evalOn(5, done, { more: { workspaceId: randomUUID() } })
    await evalOn(5, { status: 'FAILED', report: null, error: 'Nothing was judged.' }, { prompts: [] })
    const fifth = await evalOn(6, done)
    const much = await evalOn(33, done)
    expect(Object.fromEntries(await attempts())).toEqual({ [first]: 1, [fifth]: 5, [much]: 4 })
  })

  it('are the same for one eval, by candidate', async () => {
    const own = { workspaceId: randomUUID() }
    const by = (...candidates: string[]) => ({
      more: { ...own, request: evalRequest({ baseline_model: 'acme/a', candidate_models: candidates }) },
    })
    await evalOn(1, done, by('acme/b'))
    await evalOn(2, 'CANCELLED', by('c', 'acme/b'))
    await evalOn(2, done, by('other/c'))
    const asked = await evalOn(3, done, by('acme/c', 'acme/b', 'acme/d'))
    await evalOn(4, done, by('acme/b'))
    expect(await evidence().attempts({ ...own, id: asked })).toEqual([
      { candidate: 'acme/c', place: 0, attempt: 2, peopleAttempt: null },
      { candidate: 'acme/b', place: 1, attempt: 3, peopleAttempt: null },
      { candidate: 'acme/d', place: 2, attempt: 1, peopleAttempt: null },
    ])
    expect(await evidence().attempts({ workspaceId, id: asked })).toEqual([])
    const running = await evalOn(5, 'RUNNING', by('acme/b'))
    expect(await evidence().attempts({ ...own, id: running })).toEqual([])
  })

  it('counts no sample as finished that was not needed', async () => {
    const planned = [0, 1, 2].map((position) => plannedSample({ position }))
    const run = await database.begin({ workspaceId: randomUUID(), request }, planned)
    for (const place of [0, 2]) await database.completeSample(planned[place]!.id)
    await evals().skipPending(run)
    const measured = await evidence().measured(run.id)
    expect(measured.map(({ isFinished }) => isFinished)).toEqual([true, false, true])
  })

  it('are the comparisons of earlier evals on the same prompts, in the same workspace', async () => {
    const three = evalRequest({ baseline_model: 'acme/x', candidate_models: ['acme/p', 'acme/q', 'acme/r'] })
    await evalOn(40, done, { prompts: ['one', 'two'], more: { request: three } })
    await evalOn(41, 'CANCELLED', { prompts: ['one'] })
    await evalOn(41, done, { prompts: ['one', 'two'], more: { workspaceId: randomUUID() } })
    const asked = await evalOn(42, done, { prompts: ['one', 'two', 'three', 'four'] })
    await evalOn(43, done, { prompts: ['one', 'two', 'three', 'four'] })
    // Three candidates on two of four prompts, and one on one of them.
    expect(await evidence().promptUses({ workspaceId, id: asked })).toBe((3 * 2 + 1) / 4)
    const fresh = await evalOn(44, done, { prompts: ['five'] })
    expect(await evidence().promptUses({ workspaceId, id: fresh })).toBe(0)
  })

  it('count what people compared blind as an attempt and a use of its own', async () => {
    const own = { workspaceId: randomUUID() }
    const first = await evalOn(60, done, { prompts: ['one', 'two'], more: own })
    const second = await evalOn(61, done, { prompts: ['one', 'two'], more: own })
    const prefer = async (day: number, runId: string, values: { place?: number; blind?: boolean; value?: string }) => {
      const { place = 0, blind = true, value = 'candidate' } = values
      const text = `INSERT INTO eval_preference (id, workspace_id, run_id, sample_id, candidate_index, preference, grader, blind, created_at)
        SELECT gen_random_uuid(), workspace_id, run_id, id, 1, $3, 'anna', $4, $5 FROM eval_sample
        WHERE run_id = $1 AND position = $2`
      await database.pool.query(text, [runId, place, value, blind, days(day)])
    }
    await prefer(61, first, { blind: false })
    const attemptsNow = async (id: string) => {
      const [found] = await evidence().attempts({ ...own, id })
      return [found?.attempt, found?.peopleAttempt]
    }
    expect([await attemptsNow(first), await attemptsNow(second)]).toEqual([
      [1, null],
      [2, null],
    ])
    // People begin with the first eval after the second one was created, so their attempt is the third.
    await prefer(62, first, {})
    await prefer(63, first, { place: 1, value: 'tie' })
    await prefer(64, second, {})
    await prefer(64, first, { value: 'baseline' })
    const third = await evalOn(65, done, { prompts: ['one', 'two'], more: own })
    await prefer(66, third, {})
    expect([await attemptsNow(first), await attemptsNow(second), await attemptsNow(third)]).toEqual([
      [1, 3],
      [2, 4],
      [5, 6],
    ])
    // The store promises no order.
    const stored = await evidence().compared({ ...own, id: first })
    expect(stored.toSorted((one, other) => one.place.localeCompare(other.place))).toEqual([
      { place: '000000-0', candidateIndex: 1, preferred: 'candidate', createdBy: null },
      { place: '000001-0', candidateIndex: 1, preferred: 'tie', createdBy: null },
    ])
    // Two judges' comparisons and two by people, each on both prompts.
    expect(await evidence().promptUses({ ...own, id: third })).toBe(4)
    expect(await evidence().promptUses({ ...own, id: second })).toBe(1)
  })

  it('recognise a prompt after its text was deleted', async () => {
    const before = await evalOn(50, done, { prompts: ['deleted'] })
    await database.operator.query('UPDATE eval_sample SET prompt = NULL WHERE run_id = $1', [before])
    const after = await evalOn(51, done, { prompts: ['deleted'] })
    expect(await evidence().promptUses({ workspaceId, id: after })).toBe(1)
  })
})
