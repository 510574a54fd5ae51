import { LoggingIsOff } from '@ratchet/judge-kit/fleet/log-reader'
import type { ModelCatalog } from '@ratchet/judge-kit/fleet/model-catalog'
import { FleetCallError } from '@ratchet/service-kit/fleet-client'
import { ServiceError } from '@ratchet/service-kit/service-error'
import type { PromptSurvey } from '../prompts/prompt-source.ts'
import { type Answer, criterion, evalApp } from './eval-app.fixture.ts'

const order = (more: object = {}) => ({
  ...{ name: 'Support', rubric: 'Kind.', baseline_model: 'sim/medium', candidate_models: ['sim/large'] },
  ...{ judge_model: 'sim/judge', sample_count: 10, ...more },
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
  /** Of ten prompts of a thousand tokens, with answers of a hundred, micro-dollars; `shown` answers in each look. */
  const look = (shown: number, rubricBytes = 5) => {
    const input = 10 * (1_000 + shown * 100 + 700 + rubricBytes / 4)
    return 2 * (3 * input + 30 * 10 * 200)
  }
  const [medium, large, small] = [20_000, 40_000, 2_000]

  it.each<[string, object, number, number]>([
    ['every model, and two looks at each pair', {}, medium + large, look(2)],
    ['two candidates', { candidate_models: ['sim/large', 'sim/small'] }, medium + large + small, 2 * look(2)],
    ['repetitions', { repetitions: 3 }, 3 * (medium + large), 3 * look(2)],
    // Two answers of half the length.
    ['short answers', { params: { max_tokens: 50 } }, 15_000 + 30_000, look(1)],
    ['stored answers as the baseline', replay, large, look(2)],
    ['stored answers to be matched', { judging_mode: 'match_reference' }, medium + large, look(3)],
    ['the prompt of a criterion', criterionOrder, medium + large, look(2, 11)],
  ])('prices %s', async (_case, more, answersMicro, judgeMicro) => {
    const app = evalApp()
    const { status, body } = await estimate(app, more)
    expect([status, body]).toEqual([
      200,
      {
        object: 'eval.estimate',
        ...{ estimated_cost_usd: answersMicro / 1e6, judge_cost_usd: Math.ceil(judgeMicro) / 1e6 },
        ...{ eligible_prompts: 40, distinct_prompts: 12, sample_count: 10 },
      },
    ])
    expect([app.kept.size, app.rung]).toEqual([0, []])
  })

  it('is given whatever the wallet has, and of however few prompts', async () => {
    const { status, body } = await estimate(evalApp({ availableNano: 0n, survey: surveyOf(0) }))
    expect([status, body.estimated_cost_usd, body.distinct_prompts]).toEqual([200, 0, 0])
  })
})

describe('creating', () => {
  it('keeps the eval with its judge, and rings for it', async () => {
    const app = evalApp()
    const { status, body } = await create(app, { seed: 7, max_cost_usd: 0.5 })
    expect([status, body]).toMatchObject([200, { status: 'PENDING', progress: { done: 0, total: 10 }, report: null }])
    const [run] = [...app.kept.values()]
    expect(run).toMatchObject({
      ...{ workspaceId: app.workspaceId, createdBy: app.workspaceId, maxCostNano: 500_000_000n },
      ...{ request: { seed: 7, sample_count: 10 }, createdAt: new Date('2026-11-21T12:00:00Z') },
      judge: { model: 'sim/judge', rubric: 'Kind.', criterionId: null, trust: null },
    })
    expect(app.rung).toEqual([run?.id])
    expect(app.surveyed).toMatchObject([{ identity: { workspaceId: app.workspaceId }, request: { seed: 7 } }])
  })

  it('freezes the criterion that judges', async () => {
    const app = evalApp()
    const { body } = await create(app, criterionOrder)
    expect(body).toMatchObject({ judge_model: 'sim/judge', criterion_id: criterion.id, judge_trust: 'trustworthy' })
    expect([...app.kept.values()][0]?.judge).toEqual({
      ...{ model: 'sim/judge', rubric: 'It is rude.', trust: 'trustworthy' },
      criterionId: '00000000-0000-7000-8000-0000000000bb',
    })
  })

  it('starts one eval for one key, and says so', async () => {
    const app = evalApp()
    const [first, second] = [await create(app, {}, 'abc'), await create(app, {}, 'abc')]
    expect([second.status, second.body]).toEqual([200, first.body])
    expect([first.headers['idempotent-replay'], second.headers['idempotent-replay']]).toEqual([undefined, 'true'])
    expect(app.kept.size).toBe(1)
    expect((await create(app)).body.id).not.toBe((await create(app)).body.id)
  })

  it('refuses a key that started something else, and one that is none', async () => {
    const app = evalApp()
    await create(app, {}, 'abc')
    expect(refused(await create(app, { seed: 1 }, 'abc'))).toEqual([409, 'idempotency_conflict', 'Idempotency-Key'])
    expect(refused(await create(app, {}, 'a b'))).toEqual([400, 'invalid_request', 'Idempotency-Key'])
    expect(app.kept.size).toBe(1)
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

describe('what an eval takes', () => {
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
    ['https to tell of the end', { webhook_url: 'http://a.b/' }, 400, 'invalid_request', 'webhook_url'],
    ['a public address to tell', { webhook_url: 'https://127.0.0.1/' }, 400, 'invalid_request', 'webhook_url'],
  ])('%s', async (_case, more, ...refusal) => {
    const app = evalApp()
    for (const ask of [create, estimate]) expect(refused(await ask(app, more))).toEqual(refusal)
    expect([app.kept.size, app.rung]).toEqual([0, []])
  })

  it.each<[string, Parameters<typeof evalApp>[0], readonly unknown[]]>([
    ['single answers', { criterion: { unit: 'trace' } }, [400, 'unsupported_unit', 'criterion_id']],
    ['one in use', { criterion: { status: 'retired' } }, [400, 'invalid_request', 'criterion_id']],
    ['one with a model', { criterion: { judge_model: 'sim/none' } }, [404, 'model_not_found', 'criterion_id']],
    [
      'judging that answers',
      { criterion: new FleetCallError('away', { status: 0 }) },
      [503, 'service_unavailable', null],
    ],
  ])('a criterion that judges: %s', async (_case, options, refusal) => {
    expect(refused(await create(evalApp(options), criterionOrder))).toEqual(refusal)
  })

  it('five distinct prompts, but for an estimate', async () => {
    const app = evalApp({ survey: surveyOf(4) })
    const answer = await create(app)
    expect(refused(answer)).toEqual([400, 'invalid_request', 'sample_filters'])
    expect(answer.body.error.message).toContain('the filters leave 4')
    expect((await estimate(app)).status).toBe(200)
    expect((await create(evalApp({ survey: surveyOf(5) }))).status).toBe(200)
  })

  it('request logging', async () => {
    const off = () => Promise.reject(new LoggingIsOff())
    for (const options of [{ log: { sample: off } }, { survey: new LoggingIsOff() }]) {
      const app = evalApp(options)
      for (const ask of [create, estimate]) expect(refused(await ask(app))).toEqual([409, 'logging_disabled', null])
      expect(app.kept.size).toBe(0)
    }
  })

  it('a source that is there, and that can be read', async () => {
    const gone = new ServiceError('not_found', 'There is no dataset.', { param: 'sample_filters.dataset_id' })
    expect(refused(await create(evalApp({ survey: gone })))).toEqual([404, 'not_found', 'sample_filters.dataset_id'])
    const away = await create(evalApp({ survey: new FleetCallError('away', { status: 503 }) }))
    expect(refused(away)).toEqual([503, 'service_unavailable', null])
    expect(away.headers['retry-after']).toBe('1')
  })

  it.each(['baseline_model', 'candidate_models.0', 'judge_model'])(
    'a provider that the workspace has a key of, else it names %s',
    async (param) => {
      const names = { baseline_model: 'sim/medium', 'candidate_models.0': 'sim/large', judge_model: 'sim/judge' }
      const keyless = names[param as keyof typeof names]
      const models: ModelCatalog = {
        async find(_identity, id) {
          if (id !== keyless) return { id, isChat: true, capabilities: ['chat'], inputPerMtok: 1, outputPerMtok: 1 }
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

  it('has to cover what the eval is estimated to cost, to the micro-dollar', async () => {
    const whole = await needed()
    const app = evalApp({ availableNano: whole - 1n })
    const answer = await create(app)
    expect(refused(answer)).toEqual([402, 'insufficient_balance', null])
    expect([app.kept.size, app.rung]).toEqual([0, []])
    expect((await create(evalApp({ availableNano: whole }))).status).toBe(200)
  })

  it('has to cover no more than the eval may cost', async () => {
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

  it('must not be empty, even for what costs nothing', async () => {
    const survey = surveyOf(5)
    expect((await create(evalApp({ survey, availableNano: 0n }))).status).toBe(402)
    expect((await create(evalApp({ survey, availableNano: 1n }))).status).toBe(200)
  })

  it('that cannot be read starts nothing', async () => {
    const inference = { call: () => Promise.reject(new FleetCallError('away', { status: 0 })) }
    expect(refused(await create(evalApp({ inference })))).toEqual([503, 'service_unavailable', null])
  })
})
