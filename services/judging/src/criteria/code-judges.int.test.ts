import { createScripts } from '@ratchet/judge-kit/checks/script'
import { addCalibration } from '../calibration/evidence.fixture.ts'
import { criterionUuid, type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'

const stops: (() => unknown)[] = []
let app: JudgingApp
beforeAll(async () => {
  app = await startJudgingApp(createScripts((stop) => void stops.push(stop)))
})
afterAll(async () => {
  await app?.stop()
  await Promise.all(stops.map((stop) => stop()))
})

const script = { type: 'script', source: 'const check = ({ text }) => !text.includes("!")' }
const checks = [{ type: 'json' }, { type: 'characters', max: 200 }, script]
const byChecks = { name: 'Valid', kind: 'code', judge_prompt: 'It is no short JSON.', judge_model: undefined, checks }

const errorOf = ({ status, body }: { status: number; body: { error: { code: string; param: string | null } } }) => [
  status,
  body.error.code,
  body.error.param,
]
const create = (more: object = {}) => app.request('post', '/v1/criteria', { ...byChecks, ...more })

it('is created with its checks and without a model, and its changes are audited', async () => {
  const { status, body } = await create()
  expect(status).toBe(201)
  const full = [
    { type: 'json', negate: false },
    { type: 'characters', min: 0, max: 200, negate: false },
    { ...script, negate: false },
  ]
  expect(body).toMatchObject({ kind: 'code', judge_model: 'ratchet/checks', checks: full, trust: 'unmeasured' })
  expect((await app.request('get', `/v1/criteria/${body.id}`)).body).toEqual(body)
  const { rows } = await app.operator.query('SELECT after FROM criterion_event WHERE criterion_id = $1', [
    criterionUuid(body.id),
  ])
  expect(rows.map(({ after }) => JSON.parse(after))).toMatchObject([{ checks: full }])
})

it.each([
  [{ checks: undefined }, 'checks'],
  [{ checks: [] }, 'checks'],
  [{ judge_model: 'sim/judge' }, 'judge_model'],
  [{ kind: 'model', judge_model: 'sim/judge' }, 'checks'],
  [{ kind: 'model', checks: undefined }, 'judge_model'],
  [{ kind: 'rule' }, 'kind'],
  [{ checks: Array.from({ length: 21 }, () => ({ type: 'json' })) }, 'checks'],
  [{ checks: [{ type: 'json' }, { type: 'regex', pattern: '(?=a)' }] }, 'checks.1.pattern'],
  [{ checks: [{ type: 'length', min: 5, max: 2 }] }, 'checks.0.min'],
  [{ checks: [{ type: 'json_schema', schema: { $ref: 'https://example.com/' } }] }, 'checks.0.schema'],
  [{ checks: [{ type: 'script', source: 'const other = 1' }] }, 'checks.0.source'],
  [{ checks: [{ type: 'script', source: 'function check( {' }] }, 'checks.0.source'],
])('is refused with %j, which names %s', async (more, param) => {
  expect(errorOf(await create(more))).toEqual([400, 'invalid_request', param])
})

it('stays of its kind', async () => {
  const { body: code } = await create()
  const model = await app.addCriterion()
  const change = async (id: string, patch: object) => errorOf(await app.request('patch', `/v1/criteria/${id}`, patch))
  expect(await change(code.id, { kind: 'model' })).toEqual([400, 'immutable_parameter', 'kind'])
  expect(await change(code.id, { judge_model: 'sim/judge' })).toEqual([400, 'invalid_request', 'judge_model'])
  expect(await change(code.id, { checks: [{ type: 'script', source: '1' }] })).toEqual([
    400,
    'invalid_request',
    'checks.0.source',
  ])
  expect(await change(model, { checks })).toEqual([400, 'invalid_request', 'checks'])
})

it('keeps its calibration with equal checks, and loses it with others', async () => {
  const { body } = await create()
  await addCalibration(app, { criterionId: criterionUuid(body.id) })
  const patch = (changed: object) => app.request('patch', `/v1/criteria/${body.id}`, changed)
  expect((await patch({ checks })).body.trust).toBe('trustworthy')
  const other = await patch({ checks: [...checks, { type: 'no_tool_call' }] })
  expect(other.body.trust).toBe('unmeasured')
  expect(other.body.checks.slice(3)).toEqual([{ type: 'no_tool_call', negate: false }])
})

it('costs nothing in estimates', async () => {
  const { body } = await create()
  const estimate = await app.request('post', `/v1/criteria/${body.id}/scan`, { dry_run: true })
  expect(estimate.body).toMatchObject({ object: 'criterion.scan_estimate', estimated_cost_usd: 0 })
  const calibration = await app.request('post', `/v1/criteria/${body.id}/calibrate`, { dry_run: true })
  expect(calibration.body).toMatchObject({ estimated_cost_usd: 0 })
})
