import { noteEvalJudge } from '@ratchet/contracts/internal-judging'
import { LoggingIsOff } from '@ratchet/judge-kit/fleet/log-reader'
import type { ModelCatalog } from '@ratchet/judge-kit/fleet/model-catalog'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { EvalDeps } from '../app.ts'
import type { PromptSurvey } from '../prompts/prompt-source.ts'
import { type Answer, criterion, evalApp } from './eval-app.fixture.ts'

const order = (more: object = {}) => ({
  name: 'Support',
  rubric: 'Kind.',
  baseline_model: 'sim/medium',
  candidate_models: ['sim/large'],
  judge_model: 'sim/judge',
  sample_count: 10,
  ...more,
})
type App = ReturnType<typeof evalApp>
const create = (app: App, more: object = {}, idempotencyKey?: string) =>
  app.send('post', '/v1/evals', { body: order(more), ...(idempotencyKey === undefined ? {} : { idempotencyKey }) })
const estimate = (app: App, more: object = {}) => app.send('post', '/v1/evals/estimate', { body: order(more) })
const refused = ({ status, body: { error } }: Answer) => [status, error.code, error.param]

const criterionOrder = { judge_model: undefined, rubric: undefined, criterion_id: criterion.id }
const replay = { baseline_model: 'logged', sample_filters: { trace_replay: true } }
const surveyOf = (distinct: number): PromptSurvey => ({ eligible: 40, distinct, tokens: [] })

describe('an estimate', () => {
  /** Cost of both verdicts on each of ten prompts (1,000 tokens, answers of 100), micro-dollars; `shown` is the number of shown answers. */
  const verdictMicro = (shown: number, rubricBytes = 5) => {
    const input = 10 * (1_000 + shown * 100 + 700 + rubricBytes / 4)
    return 2 * (3 * input + 30 * 10 * 200)
  }
  const [medium, large, small] = [20_000, 40_000, 2_000]

  it.each<[string, object, number, number]>([
    ['every model, and two verdicts on each pair', {}, medium + large, verdictMicro(2)],
    ['two candidates', { candidate_models: ['sim/large', 'sim/small'] }, medium + large + small, 2 * verdictMicro(2)],
    ['repetitions', { repetitions: 3 }, 3 * (medium + large), 3 * verdictMicro(2)],
    // Two answers of half the length.
    ['short answers', { params: { max_tokens: 50 } }, 15_000 + 30_000, verdictMicro(1)],
    ['stored answers as the baseline', replay, large, verdictMicro(2)],
    ['stored answers to be matched', { judging_mode: 'match_reference' }, medium + large, verdictMicro(3)],
    ['the prompt of a criterion', criterionOrder, medium + large, verdictMicro(2, 11)],
  ])('prices %s', async (_case, more, answersMicro, judgeMicro) => {
    const app = evalApp()
    const { status, body } = await estimate(app, more)
    expect([status, body]).toEqual([
      200,
      {
        object: 'eval.estimate',
        estimated_cost_usd: answersMicro / 1e6,
        judge_cost_usd: Math.ceil(judgeMicro) / 1e6,
        longest_call_usd: expect.any(Number),
        eligible_prompts: 40,
        distinct_prompts: 12,
        sample_count: 10,
        plan: expect.objectContaining({ cost_usd: (answersMicro + Math.ceil(judgeMicro)) / 1e6, minutes: null }),
      },
    ])
    expect([app.stored.size, app.enqueued]).toEqual([0, []])
  })

  it('plans with the expectation, and with latencies of the last week in the log', async () => {
    const filters: object[] = []
    const log: EvalDeps['log'] = {
      async sample(_identity, requested) {
        filters.push(requested.filters)
        const rows = [{ latency_ms: 1_000 }, { latency_ms: 2_000 }] as never
        return 'model' in requested.filters ? { total: 2, rows } : { total: 0, rows: [] }
      },
    }
    const expected = { win_rate: 0.55, tie_rate: 0.5 }
    const { body } = await estimate(evalApp({ log }), { expected, question: 'not_worse', margin: 0.1 })
    expect(body.plan).toMatchObject({ question: 'not_worse', margin: 0.1, expected_win_rate: 0.55, minutes: 0.05 })
    expect(filters).toContainEqual({ model: 'sim/judge', start: '2026-11-14T12:00:00.000Z' })
  })

  it('needs neither money in the wallet nor a minimum of prompts', async () => {
    const { status, body } = await estimate(evalApp({ availableNano: 0n, survey: surveyOf(0) }))
    expect([status, body.estimated_cost_usd, body.distinct_prompts]).toEqual([200, 0, 0])
  })
})

describe('creating', () => {
  it('stores the eval with its judge and notifies workers', async () => {
    const app = evalApp()
    const { status, body } = await create(app, { seed: 7, max_cost_usd: 0.5 })
    expect([status, body]).toMatchObject([200, { status: 'PENDING', progress: { done: 0, total: 10 }, report: null }])
    const [run] = [...app.stored.values()]
    expect(run).toMatchObject({
      workspaceId: app.workspaceId,
      createdBy: app.workspaceId,
      maxCostNano: 500_000_000n,
      request: { seed: 7, sample_count: 10 },
      createdAt: new Date('2026-11-21T12:00:00Z'),
      judge: { model: 'sim/judge', rubric: 'Kind.', criterionId: null, trust: null },
    })
    expect(app.enqueued).toEqual([run?.id])
    expect(app.surveyed).toMatchObject([{ identity: { workspaceId: app.workspaceId }, request: { seed: 7 } }])
  })

  it('freezes the criterion that judges', async () => {
    const app = evalApp()
    const { body } = await create(app, criterionOrder)
    expect(body).toMatchObject({ judge_model: 'sim/judge', criterion_id: criterion.id, judge_trust: 'trustworthy' })
    expect(body).toMatchObject({ judge_can_act: true, judge_cannot_act_reason: null })
    expect([...app.stored.values()][0]?.judge).toEqual({
      model: 'sim/judge',
      rubric: 'It is rude.',
      trust: 'trustworthy',
      cannotActReason: null,
      isPicked: false,
      criterionId: '00000000-0000-7000-8000-0000000000bb',
    })
  })

  it('freezes why the criterion cannot act', async () => {
    const app = evalApp({ criterion: { can_act: false, cannot_act_reason: 'it is flagged for drift' } })
    const { body } = await create(app, criterionOrder)
    const reason = 'it is flagged for drift'
    expect(body).toMatchObject({ judge_trust: 'trustworthy', judge_can_act: false, judge_cannot_act_reason: reason })
    expect([...app.stored.values()][0]?.judge).toMatchObject({ cannotActReason: reason })
  })

  it.each([
    ['may act', {}, true],
    ['cannot act', { can_act: false }, false],
    ['judges runs', { unit: 'trace' }, false],
  ] as const)(
    'has judging check a judge for drift while the eval may be evidence: it %s',
    async (_case, own, isNoted) => {
      const noted: unknown[] = []
      const call = async (endpoint: object, { body }: { body?: unknown }) => {
        if (endpoint !== noteEvalJudge) return { ...criterion, ...own }
        noted.push(body)
        throw new FleetCallError('away', { status: 503 })
      }
      const app = evalApp({ judging: { call } as never })
      const { status } = await create(app, { ...criterionOrder, ...('unit' in own ? replay : {}) })
      expect([status, noted]).toEqual([200, isNoted ? [{ criterion_id: criterion.id }] : []])
    },
  )

  it('compares the last answers of runs by a criterion that judges runs, which is no evidence for an alias', async () => {
    const app = evalApp({ criterion: { unit: 'trace' } })
    const { status, body } = await create(app, { ...criterionOrder, ...replay })
    expect([status, body.judge_unit, body.judge_can_act]).toEqual([200, 'trace', false])
    expect([...app.stored.values()][0]?.judge).toMatchObject({ unit: 'trace', cannotActReason: null })
  })

  it('creates one eval per idempotency key and marks the repeated answer', async () => {
    const app = evalApp()
    const [first, second] = [await create(app, {}, 'abc'), await create(app, {}, 'abc')]
    expect([second.status, second.body]).toEqual([200, first.body])
    expect([first.headers['idempotent-replay'], second.headers['idempotent-replay']]).toEqual([undefined, 'true'])
    expect(app.stored.size).toBe(1)
    expect((await create(app)).body.id).not.toBe((await create(app)).body.id)
  })

  it('refuses a key of another request, and an invalid key', async () => {
    const app = evalApp()
    await create(app, {}, 'abc')
    expect(refused(await create(app, { seed: 1 }, 'abc'))).toEqual([409, 'idempotency_conflict', 'Idempotency-Key'])
    expect(refused(await create(app, {}, 'a b'))).toEqual([400, 'invalid_request', 'Idempotency-Key'])
    expect(app.stored.size).toBe(1)
  })

  it.each<[string, string, readonly unknown[]]>([
    ['text', 'text/plain', [415, 'unsupported_media_type', 'Content-Type']],
    ['a body that is too large', 'application/json', [413, 'request_too_large', null]],
  ])('refuses %s', async (_case, type, refusal) => {
    const name = type === 'application/json' ? 'a'.repeat(1_100_000) : 'x'
    const app = evalApp()
    const answer = type === 'application/json' ? await create(app, { name }) : await app.send('post', '/v1/evals')
    expect(refused(answer)).toEqual(refusal)
  })
})

describe('an eval requires', () => {
  it.each<[string, object, number, string, string]>([
    ['a known baseline', { baseline_model: 'sim/none' }, 404, 'model_not_found', 'baseline_model'],
    ['known candidates', { candidate_models: ['sim/large', 'sim/none'] }, 404, 'model_not_found', 'candidate_models.1'],
    ['models that chat', { candidate_models: ['sim/embed'] }, 400, 'invalid_request', 'candidate_models.0'],
    ['a known judge', { judge_model: 'sim/none' }, 404, 'model_not_found', 'judge_model'],
    ['a known criterion', { ...criterionOrder, criterion_id: 'crit_1' }, 404, 'not_found', 'criterion_id'],
    ['fields that agree', { candidate_models: ['sim/medium'] }, 400, 'invalid_request', 'candidate_models.0'],
    ['fields that it knows', { candidate_model: 'sim/large' }, 400, 'unknown_parameter', 'candidate_model'],
    ['up to three candidates', { candidate_models: [] }, 400, 'invalid_request', 'candidate_models'],
    ['five samples', { sample_count: 4 }, 400, 'invalid_request', 'sample_count'],
    ['a webhook with https', { webhook_url: 'http://a.b/' }, 400, 'invalid_request', 'webhook_url'],
    ['a webhook at a public address', { webhook_url: 'https://127.0.0.1/' }, 400, 'invalid_request', 'webhook_url'],
  ])('%s', async (_case, more, ...refusal) => {
    const app = evalApp()
    for (const send of [create, estimate]) expect(refused(await send(app, more))).toEqual(refusal)
    expect([app.stored.size, app.enqueued]).toEqual([0, []])
  })

  it.each<[string, Parameters<typeof evalApp>[0], readonly unknown[]]>([
    [
      'a criterion for single requests, unless runs are replayed',
      { criterion: { unit: 'trace' } },
      [400, 'unsupported_unit', 'criterion_id'],
    ],
    ['an active criterion', { criterion: { status: 'retired' } }, [400, 'invalid_request', 'criterion_id']],
    ['a known judge model', { criterion: { judge_model: 'sim/none' } }, [404, 'model_not_found', 'criterion_id']],
    [
      'an available judging service',
      { criterion: new FleetCallError('unavailable', { status: 0 }) },
      [503, 'service_unavailable', null],
    ],
  ])('from a criterion: %s', async (_case, options, refusal) => {
    expect(refused(await create(evalApp(options), criterionOrder))).toEqual(refusal)
  })

  it('five distinct prompts; an estimate does not', async () => {
    const app = evalApp({ survey: surveyOf(4) })
    const answer = await create(app)
    expect(refused(answer)).toEqual([400, 'invalid_request', 'sample_filters'])
    expect(answer.body.error.message).toMatch(/\b4\b/)
    expect((await estimate(app)).status).toBe(200)
    expect((await create(evalApp({ survey: surveyOf(5) }))).status).toBe(200)
  })

  it('request logging', async () => {
    const off = () => Promise.reject(new LoggingIsOff())
    for (const options of [{ log: { sample: off } }, { survey: new LoggingIsOff() }]) {
      const app = evalApp(options)
      for (const send of [create, estimate]) expect(refused(await send(app))).toEqual([409, 'logging_disabled', null])
      expect(app.stored.size).toBe(0)
    }
  })

  it('a source that exists and is available', async () => {
    const missing = new ServiceError('not_found', 'There is no dataset.', { param: 'sample_filters.dataset_id' })
    expect(refused(await create(evalApp({ survey: missing })))).toEqual([404, 'not_found', 'sample_filters.dataset_id'])
    const unavailable = await create(evalApp({ survey: new FleetCallError('unavailable', { status: 503 }) }))
    expect(refused(unavailable)).toEqual([503, 'service_unavailable', null])
    expect(unavailable.headers['retry-after']).toBe('1')
  })

  it.each(['baseline_model', 'candidate_models.0', 'judge_model'])(
    'a provider key for each model; the error names %s',
    async (param) => {
      const names = { baseline_model: 'sim/medium', 'candidate_models.0': 'sim/large', judge_model: 'sim/judge' }
      const keyless = names[param as keyof typeof names]
      const models: ModelCatalog = {
        async find(_identity, id) {
          if (id !== keyless)
            return {
              id,
              isChat: true,
              capabilities: ['chat'],
              inputPerMtok: 1,
              outputPerMtok: 1,
              maxOutputTokens: 16_384,
            }
          throw new ServiceError('unknown_provider', 'There is no key.', { param: 'judge_model' })
        },
      }
      expect(refused(await create(evalApp({ models })))).toEqual([400, 'unknown_provider', param])
    },
  )
})

describe('the wallet', () => {
  const needed = async () => {
    const { body } = await estimate(evalApp())
    return BigInt(Math.round((body.estimated_cost_usd + body.judge_cost_usd) * 1e9))
  }

  it('has to cover the estimated cost, to the micro-dollar', async () => {
    const whole = await needed()
    const app = evalApp({ availableNano: whole - 1n })
    const answer = await create(app)
    expect(refused(answer)).toEqual([402, 'insufficient_balance', null])
    expect([app.stored.size, app.enqueued]).toEqual([0, []])
    expect((await create(evalApp({ availableNano: whole }))).status).toBe(200)
  })

  it('does not have to cover more than max_cost_usd', async () => {
    const capped = { max_cost_usd: 0.001 }
    expect(refused(await create(evalApp({ availableNano: 999_999n }), capped))).toEqual([
      402,
      'insufficient_balance',
      null,
    ])
    expect((await create(evalApp({ availableNano: 1_000_000n }), capped)).status).toBe(200)
    const whole = await needed()
    expect((await create(evalApp({ availableNano: whole }), { max_cost_usd: 1_000 })).status).toBe(200)
  })

  it('must not be empty, even when the eval costs nothing', async () => {
    const survey = surveyOf(5)
    expect((await create(evalApp({ survey, availableNano: 0n }))).status).toBe(402)
    expect((await create(evalApp({ survey, availableNano: 1n }))).status).toBe(200)
  })

  it('that cannot be read prevents the eval', async () => {
    const inference = { call: () => Promise.reject(new FleetCallError('unavailable', { status: 0 })) }
    expect(refused(await create(evalApp({ inference })))).toEqual([503, 'service_unavailable', null])
  })
})
