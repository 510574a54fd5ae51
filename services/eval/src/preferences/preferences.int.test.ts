import { randomUUID } from 'node:crypto'
import { publicId } from '@ratchet/contracts/public-id'
import { countingUuids } from '@ratchet/testing/counting-ids'
import { createPgEvidence } from '../gate/pg-evidence.ts'
import { evalRequest, modelAnswer, pairVerdict, plannedSample } from '../runs/eval.fixture.ts'
import { evalApp, type Sent } from '../runs/eval-app.fixture.ts'
import { type EvalDatabase, evalDatabase } from '../runs/eval-database.fixture.ts'
import { createPgEvals } from '../runs/pg-evals.ts'
import { createPgSamples } from '../samples/pg-samples.ts'
import type { ModelAnswer } from '../samples/sample.ts'
import { createPgPreferences } from './pg-preferences.ts'

let database: EvalDatabase
beforeAll(async () => {
  database = await evalDatabase()
})
afterAll(() => database?.drop())

/** In the order of their creation, as in production. */
const newId = countingUuids()

/** An app on the database with an eval of `count` samples, which the candidate won. */
async function judged(count: number, candidates: string[] = ['sim/large'], answered: Partial<ModelAnswer> = {}) {
  const [evals, samples] = [createPgEvals(database.pool), createPgSamples(database.pool)]
  const evidence = createPgEvidence(database.pool)
  const app = evalApp({ evals, samples, evidence, preferences: createPgPreferences(database.pool), newId })
  const planned = Array.from({ length: count + 1 }, (_, position) => plannedSample({ position }))
  const request = evalRequest({ candidate_models: candidates })
  const run = await database.begin({ workspaceId: app.workspaceId, request }, planned)
  for (const { id } of planned.slice(0, count)) {
    const leased = await database.leaseSample(id)
    for (const modelIndex of [0, 1]) await samples.saveAnswer(leased, modelAnswer({ modelIndex, ...answered }))
    for (const isSwapped of [false, true]) {
      await samples.saveVerdict(leased, pairVerdict({ isSwapped, preference: isSwapped ? 'first' : 'second' }))
    }
    await samples.complete(leased, { outcomes: candidates.map(() => 'win'), failure: null })
  }
  const path = `/v1/evals/${publicId('eval', run.id)}`
  const prefer = (index: number, body: object, sent: Omit<Sent, 'body'> = {}) =>
    app.send('post', `${path}/samples/${publicId('sample', planned[index]!.id)}/preferences`, { ...sent, body })
  const finish = async () => {
    const end = { status: 'DONE', report: null, error: null } as const
    await evals.finish(await database.leaseEval(run.id), end, new Date())
  }
  return { app, path, planned, prefer, finish }
}

describe('the preference of a person', () => {
  it('is stored for good, listed, and superseded by a later one of the same grader', async () => {
    const { app, path, prefer, planned } = await judged(5)
    const first = await prefer(0, { preference: 'baseline', grader: 'anna' })
    expect([first.status, first.body]).toMatchObject([
      201,
      {
        object: 'eval.preference',
        sample_id: publicId('sample', planned[0]!.id),
        candidate: 'sim/large',
        grader_id: 'anna',
      },
    ])
    await prefer(0, { preference: 'candidate', grader: 'anna' })
    for (const index of [1, 2, 3, 4]) await prefer(index, { preference: 'candidate', grader: 'anna' })
    const { body: list } = await app.send('get', `${path}/preferences?limit=10`)
    expect([list.total, list.data.at(-1).preference]).toEqual([6, 'baseline'])
    const { status, body } = await app.send('get', `${path}/calibration`)
    expect([status, body.candidates['sim/large']]).toMatchObject([
      200,
      { graded: 5, accuracy: 1, corrected_win_rate: 1, win_rate: null, grades_needed: { win: 0, tie: 0, loss: 0 } },
    ])
  })

  it('cannot be changed or deleted by the service', async () => {
    for (const text of ['DELETE FROM eval_preference', "UPDATE eval_preference SET preference = 'tie'"]) {
      await expect(database.pool.query(text)).rejects.toMatchObject({ code: '42501' })
    }
  })

  it('needs a finished sample of an eval of the workspace, and a candidate where there are several', async () => {
    const [one, other] = [await judged(1), await judged(1, ['sim/large', 'sim/small'])]
    const unfinished = await one.prefer(1, { preference: 'tie' })
    const foreign = await one.prefer(0, { preference: 'tie' }, { by: randomUUID() })
    const crossed = `${one.path}/samples/${publicId('sample', other.planned[0]!.id)}/preferences`
    const ofOther = await one.app.send('post', crossed, { body: { preference: 'tie' } })
    const malformed = await one.app.send('post', `${one.path}/samples/smp_1/preferences`, {
      body: { preference: 'tie' },
    })
    expect([unfinished, foreign, ofOther, malformed].map(({ status }) => status)).toEqual([404, 404, 404, 404])
    const unnamed = await other.prefer(0, { preference: 'tie' })
    expect([unnamed.status, unnamed.body.error.param]).toEqual([400, 'candidate'])
    expect((await other.prefer(0, { preference: 'tie', candidate: 'sim/small' })).status).toBe(201)
    expect((await one.app.send('get', `${one.path}/preferences`)).body.total).toBe(0)
    expect((await one.app.send('get', `${one.path}/preferences`, { by: randomUUID() })).status).toBe(404)
    expect((await one.app.send('get', `${one.path}/calibration`, { by: randomUUID() })).status).toBe(404)
  })
})

describe('answers to compare', () => {
  it('are shown in the order of the draw without names, and a side is stored as the model that it shows', async () => {
    const { app, path, planned, prefer, finish } = await judged(8)
    const early = await app.send('get', `${path}/next_to_compare`)
    expect([early.status, early.body.error.code]).toEqual([409, 'conflict'])
    await finish()
    const next = async (count = 3) => (await app.send('get', `${path}/next_to_compare?count=${count}`)).body
    const drawn = await next()
    const ids = planned.map(({ id }) => publicId('sample', id))
    expect(drawn).toMatchObject({ object: 'list', compared: 0, total: 9 })
    expect(drawn.data.map(({ sample_id: id }: { sample_id: string }) => id)).toEqual(ids.slice(0, 3))
    expect(JSON.stringify(drawn)).not.toMatch(/sim\/|win|orders|outcome|cost/)
    // Both sides are used, and a side means the model whose answer it shows.
    for (const index of [0, 1, 2, 3, 4, 5, 6]) {
      const { body } = await prefer(index, { preference: 'first', blind: true })
      expect(body).toMatchObject({ blind: true, preference: 'first', created_by: app.workspaceId })
    }
    const stored = (await app.send('get', `${path}/preferences`)).body.data
    const sides = stored.map(({ preference }: { preference: string }) => preference)
    expect(new Set(sides)).toEqual(new Set(['baseline', 'candidate']))
    const left = await next()
    expect([left.compared, left.data.map(({ sample_id: id }: { sample_id: string }) => id)]).toEqual([7, [ids[7]]])
    await prefer(7, { preference: 'tie' })
    expect((await next()).data).toHaveLength(1)
    const { body } = await app.send('get', path)
    const { win_rate: rate } = body.evidence['sim/large'].people
    expect(body.evidence['sim/large'].people).toMatchObject({
      compared: 7,
      compared_by: [app.workspaceId],
      problems: ['too_few_samples'],
      attempt: 2,
    })
    expect(rate).toBeCloseTo(sides.filter((each: string) => each === 'candidate').length / 7, 12)
  })

  it('need a side of a key that says it saw no names, and are named by the dashboard, which shows them itself', async () => {
    const { app, path, prefer } = await judged(2)
    for (const preference of ['candidate', 'baseline']) {
      const { status, body } = await prefer(0, { preference, blind: true, grader: 'anna' })
      expect([status, body.error?.param]).toEqual([400, 'blind'])
    }
    const session = { id: randomUUID(), mayGrade: true, isFresh: true }
    const named = await prefer(0, { preference: 'candidate', blind: true }, { session })
    const sent = { status: named.status, ...named.body }
    expect(sent).toMatchObject({ status: 201, created_by: app.workspaceId, key_id: null, preference: 'candidate' })
    expect((await prefer(1, { preference: 'tie', blind: true })).body).toMatchObject({ key_id: app.workspaceId })
    expect((await app.send('get', `${path}/preferences`)).body.total).toBe(2)
  })

  it('say neither by ids of calls nor by more than they said who answered, and no call twice', async () => {
    const called = { name: 'weather', arguments: '{"city":"Bern"}' }
    const toolCalls = [
      { id: 'toolu_01', type: 'function', function: called, extra_content: { google: {} } },
      { id: 'toolu_02', type: 'custom', custom: { name: 'shell', input: 'ls' } },
    ]
    const message = { role: 'assistant', content: null, tool_calls: toolCalls }
    const { app, path, finish } = await judged(1, ['sim/large'], { message })
    await finish()
    const { body } = await app.send('get', `${path}/next_to_compare`)
    expect(body.data[0].first).toEqual({
      text: null,
      tool_calls: [
        { id: 'call_1', type: 'function', function: called },
        { id: 'call_2', type: 'custom', custom: { name: 'shell', input: 'ls' } },
      ],
    })
  })

  it('show the baseline on either side when there are several candidates', async () => {
    const { app, path, prefer } = await judged(8, ['sim/large', 'sim/small'])
    for (const index of [0, 1, 2, 3, 4, 5, 6, 7]) {
      for (const candidate of ['sim/large', 'sim/small']) await prefer(index, { preference: 'first', candidate })
    }
    const { data } = (await app.send('get', `${path}/preferences?limit=100`)).body
    const bySample = Map.groupBy(data as Listed[], ({ sample_id: id }) => id)
    const agree = [...bySample.values()].map(([one, other]) => one!.preference === other!.preference)
    expect(new Set(agree)).toEqual(new Set([true, false]))
  })

  it('are found after any number of samples whose texts were deleted', async () => {
    const { app, path, planned, finish } = await judged(102)
    await finish()
    await database.operator.query('UPDATE eval_sample SET prompt = NULL WHERE id = ANY($1::uuid[])', [
      planned.slice(0, 101).map(({ id }) => id),
    ])
    const { data } = (await app.send('get', `${path}/next_to_compare`)).body
    expect(data).toMatchObject([{ sample_id: publicId('sample', planned[101]!.id) }])
  })
})

interface Listed {
  readonly sample_id: string
  readonly preference: string
}
