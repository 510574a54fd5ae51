import { publicId } from '@ratchet/contracts/public-id'
import { usualSamples } from '../plan/plan-eval.ts'
import { buildReport } from '../report/build-report.ts'
import { pairsOf, reportInput, samplesWith } from '../report/measured-samples.fixture.ts'
import type { SampleFilter } from '../samples/sample.ts'
import { evalRequest, modelAnswer, newEval, plannedSample } from './eval.fixture.ts'
import { type EvalApp, evalApp, pending } from './eval-app.fixture.ts'
import type { EvalRun } from './eval-run.ts'

const otherWorkspace = '00000000-0000-7000-8000-0000000000dd'
const finishedAt = new Date('2026-11-21T13:00:00Z')

/** Stores an eval and returns its path. */
function stored(app: EvalApp, more: Partial<EvalRun> = {}): { readonly run: EvalRun; readonly path: string } {
  const run: EvalRun = { ...pending(newEval()), ...more }
  app.save(run)
  return { run, path: `/v1/evals/${publicId('eval', run.id)}` }
}

describe('an eval', () => {
  it('is read with its progress', async () => {
    const app = evalApp()
    const { run, path } = stored(app, { status: 'RUNNING', samplesTotal: 5 })
    app.progress.set(run.id, { total: 5, done: 2, costNano: 3_000n, judgeCostNano: 4_000n, waitingFor: null })
    const { status, body } = await app.send('get', path)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: publicId('eval', run.id), status: 'RUNNING', progress: { done: 2, total: 5 } })
    expect([body.cost_usd, body.judge_cost_usd]).toEqual([0.000003, 0.000004])
  })

  it('is listed page by page', async () => {
    const app = evalApp()
    const runs = [1, 2, 3].map(() => stored(app).run)
    const ids = runs.map(({ id }) => publicId('eval', id))
    const { body } = await app.send('get', '/v1/evals?limit=2')
    expect(body).toMatchObject({ object: 'list', total: 3, limit: 2, offset: 0, has_more: true })
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2))
    const rest = await app.send('get', '/v1/evals?limit=2&offset=2')
    expect(rest.body).toMatchObject({ total: 3, offset: 2, has_more: false, data: [{ id: ids[2] }] })
    const none = await app.send('get', '/v1/evals', { by: otherWorkspace })
    expect(none.body).toMatchObject({ total: 0, data: [], has_more: false })
  })

  it('is listed by known filters, and unknown ones are refused', async () => {
    const requests: unknown[] = []
    const list = async (filter: unknown) => {
      requests.push(filter)
      return { total: 0, runs: [] }
    }
    const evals = { list, progress: async () => new Map() } as never
    const app = evalApp({ evals })
    await app.send('get', '/v1/evals?status=DONE&baseline_model=a&candidate_model=b')
    const expected = { status: 'DONE', baselineModel: 'a', candidateModel: 'b', limit: 50, offset: 0 }
    expect(requests).toMatchObject([{ workspaceId: app.workspaceId, ...expected }])
    for (const [query, code, param] of [
      ['status=RUNING', 'invalid_request', 'status'],
      ['offset=-1', 'invalid_request', 'offset'],
      ['model=a', 'unknown_parameter', 'model'],
    ]) {
      const { status, body } = await app.send('get', `/v1/evals?${query}`)
      expect([status, body.error.code, body.error.param]).toEqual([400, code, param])
    }
  })

  it('counts towards the setup progress when it is DONE', async () => {
    const app = evalApp()
    for (const status of ['DONE', 'FAILED', 'DONE', 'CANCELLED'] as const) stored(app, { status, finishedAt })
    stored(app)
    expect((await app.send('get', '/internal/eval/progress')).body).toEqual({ evals: 2, samples_needed: usualSamples })
    expect((await app.send('get', '/internal/eval/progress', { by: otherWorkspace })).body).toMatchObject({ evals: 0 })
  })
})

it.each([
  ['get', ''],
  ['get', '/samples'],
  ['get', '/gate?min_samples=1'],
  ['post', '/cancel'],
] as const)('reveals nothing about evals of another workspace: %s %s', async (method, what) => {
  const app = evalApp()
  const { path, run } = stored(app, { status: 'RUNNING' })
  const foreign = await app.send(method, path + what, { by: otherWorkspace })
  const absent = await app.send(method, `/v1/evals/eval_00000000000070008000000000000001${what}`)
  const malformed = await app.send(method, `/v1/evals/eval_1${what}`)
  expect([absent.status, absent.body.error.code, absent.body.error.param]).toEqual([404, 'not_found', 'id'])
  expect([foreign.status, foreign.text]).toEqual([404, absent.text])
  expect([malformed.status, malformed.text]).toEqual([404, absent.text])
  expect(app.stored.get(run.id)?.status).toBe('RUNNING')
})

describe('cancelling', () => {
  it.each(['PENDING', 'RUNNING'] as const)(
    'ends a %s eval at once and notifies workers, which build its report',
    async (status) => {
      const app = evalApp()
      const { run, path } = stored(app, { status })
      const { status: answered, body } = await app.send('post', `${path}/cancel`)
      expect([answered, body]).toMatchObject([200, { status: 'CANCELLED', finished_at: '2026-11-21T12:00:00.000Z' }])
      expect(app.enqueued).toEqual([run.id])
    },
  )

  it('happens once; cancelling again is not an error', async () => {
    const app = evalApp()
    const { path } = stored(app)
    const first = await app.send('post', `${path}/cancel`)
    const second = await app.send('post', `${path}/cancel`)
    expect([second.status, second.body]).toEqual([200, first.body])
    expect(app.enqueued).toHaveLength(1)
  })

  it.each(['DONE', 'FAILED'] as const)('is refused for a %s eval', async (status) => {
    const app = evalApp()
    const { path, run } = stored(app, { status, finishedAt })
    const answer = await app.send('post', `${path}/cancel`)
    expect([answer.status, answer.body.error.code]).toEqual([409, 'conflict'])
    expect(answer.body.error.message).toContain(status)
    expect([app.stored.get(run.id)?.status, app.enqueued]).toEqual([status, []])
  })
})

describe('samples', () => {
  const request = evalRequest({ candidate_models: ['sim/large', 'sim/small'] })

  function withSamples() {
    const requests: SampleFilter[] = []
    const sample = { ...plannedSample(), answers: [modelAnswer()], verdicts: [], outcomes: ['win', 'tie'], error: null }
    const list = async (filter: SampleFilter) => {
      requests.push(filter)
      return { total: 3, samples: [sample] as never }
    }
    const app = evalApp({ samples: { list, measured: async () => [] } })
    return { app, requests, ...stored(app, { request }) }
  }

  it.each<[string, object, string | null]>([
    ['', { limit: 50, offset: 0 }, null],
    ['?candidate=sim/small', { candidateIndex: 2 }, 'tie'],
    ['?candidate=sim/large&outcome=win&limit=1&offset=2', { candidateIndex: 1, outcome: 'win', limit: 1 }, 'win'],
    ['?outcome=error', { outcome: 'error' }, null],
  ])('are listed with %p', async (query, expected, outcome) => {
    const { app, requests, path, run } = withSamples()
    const { status, body } = await app.send('get', `${path}/samples${query}`)
    expect(status).toBe(200)
    expect(requests).toMatchObject([{ runId: run.id, ...expected }])
    const [sample] = body.data
    expect(sample).toMatchObject({ outcome, outcomes: { 'sim/large': 'win', 'sim/small': 'tie' } })
    expect([body.total, body.has_more]).toEqual([3, body.offset + 1 < 3])
  })

  it.each([
    ['candidate=sim/medium', 'invalid_request', 'candidate'],
    ['candidate=sim/none', 'invalid_request', 'candidate'],
    ['outcome=won', 'invalid_request', 'outcome'],
    ['model=a', 'unknown_parameter', 'model'],
  ])('are not listed with %s', async (query, code, param) => {
    const { app, requests, path } = withSamples()
    const { status, body } = await app.send('get', `${path}/samples?${query}`)
    expect([status, body.error.code, body.error.param]).toEqual([400, code, param])
    expect(requests).toEqual([])
  })
})

describe('the gate', () => {
  const report = buildReport(
    reportInput(samplesWith(pairsOf({ wins: 60, losses: 10 }).map((pair) => [pair])), {
      candidateModels: ['sim/large'],
    }),
  )
  const done = { status: 'DONE', report, finishedAt } as const

  it('passes what is proven, with the table of checks', async () => {
    const app = evalApp()
    const { path, run } = stored(app, done)
    const { status, body } = await app.send(
      'get',
      `${path}/gate?min_win_rate_lower=0.5&min_samples=70&require_measured_judge=false`,
    )
    expect([status, body]).toMatchObject([
      200,
      { object: 'eval.gate', eval_id: publicId('eval', run.id), candidate: 'sim/large', passed: true },
    ])
    expect(body.checks.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      'min_samples',
      'min_win_rate_lower',
      'require_conclusive',
      'require_reliable_judge',
    ])
  })

  it('refuses what is not, with the same table', async () => {
    const app = evalApp()
    const { path } = stored(app, done)
    const { status, body } = await app.send('get', `${path}/gate?min_win_rate=0.9&min_samples=70`)
    expect([status, body.error.code, body.error.message]).toEqual([
      412,
      'precondition_failed',
      'Not proven: min_win_rate, require_measured_judge.',
    ])
    const { details } = body.error
    expect(details).toMatchObject({ eval_status: 'DONE', candidate: 'sim/large' })
    const table = Object.fromEntries(
      details.checks.map((each: { name: string; passed: boolean }) => [each.name, each.passed]),
    )
    expect(table).toEqual({
      min_win_rate: false,
      min_samples: true,
      require_conclusive: true,
      require_reliable_judge: true,
      require_measured_judge: false,
    })
  })

  it.each(['PENDING', 'RUNNING', 'FAILED', 'CANCELLED'] as const)('never passes for a %s eval', async (status) => {
    const app = evalApp()
    const isOver = status === 'FAILED' || status === 'CANCELLED'
    const { path } = stored(app, { status, ...(isOver ? { report, finishedAt } : {}) })
    const answer = await app.send('get', `${path}/gate?min_samples=1`)
    expect([answer.status, answer.body.error.details.eval_status]).toEqual([412, status])
  })

  it.each<[Partial<EvalRun>, string, string, string | null]>([
    [done, '', 'no_checks', null],
    [done, '?require_conclusive=false', 'no_checks', null],
    [done, '?candidate=sim/none&min_samples=1', 'invalid_request', 'candidate'],
    [
      { ...done, request: evalRequest({ candidate_models: ['a', 'b'] }) },
      '?min_samples=1',
      'invalid_request',
      'candidate',
    ],
    [done, '?min_sample=1', 'unknown_parameter', 'min_sample'],
    [done, '?min_win_rate=2', 'invalid_request', 'min_win_rate'],
  ])('requires at least one valid check: %#', async (run, query, code, param) => {
    const app = evalApp()
    const { path } = stored(app, run)
    const { status, body } = await app.send('get', `${path}/gate${query}`)
    expect([status, body.error.code, body.error.param]).toEqual([400, code, param])
  })
})

it('refuses a request without an identity that the edge has signed', async () => {
  const app = evalApp({ identityKeys: [] })
  expect((await app.send('get', '/v1/evals')).status).toBe(401)
})
