import { randomUUID } from 'node:crypto'
import { addCalibration, addOnlineJudgement } from '../calibration/evidence.fixture.ts'
import { criterionUuid, type JudgingApp, startJudgingApp } from '../judging-app.fixture.ts'

let app: JudgingApp
beforeAll(async () => {
  app = await startJudgingApp()
})
afterAll(() => app?.stop())

const errorOf = ({ status, body }: { status: number; body: { error: { code: string; param: string | null } } }) => [
  status,
  body.error.code,
  body.error.param,
]
const minimal = { name: 'Polite', judge_prompt: 'Fail an answer that is rude.', judge_model: 'sim/judge' }
const absent = `crit_${'0'.repeat(32)}`

describe('creating a judge', () => {
  it('fills in defaults, and the judge has no measures', async () => {
    const { status, body } = await app.request('post', '/v1/criteria', minimal)
    expect(status).toBe(201)
    expect(body).toEqual({
      object: 'criterion',
      id: expect.stringMatching(/^crit_[0-9a-f]{32}$/),
      ...minimal,
      kind: 'model',
      checks: null,
      description: null,
      status: 'draft',
      source: 'human',
      unit: 'request',
      population: '',
      population_family: '',
      tier: 'unmeasured',
      trust: 'unmeasured',
      can_act: false,
      cannot_act_reason: 'it has no calibration',
      e_value_tpr: null,
      e_value_tnr: null,
      e_value_needed: 40,
      act_fail_grades_needed: null,
      act_pass_grades_needed: null,
      tpr: null,
      tnr: null,
      tpr_ci: null,
      tnr_ci: null,
      kappa: null,
      repeatability: null,
      alignment_picked: null,
      alignment_n: null,
      aligned_at: null,
      fail_grades_needed: null,
      pass_grades_needed: null,
      online_enabled: false,
      online_percent: 5,
      online_cap_usd: 0,
      online_spent_usd: 0,
      drift_status: 'ok',
      drift_signal: null,
      drift_cause: null,
      drift_reason: null,
      drift_checked_at: null,
      drift_detectable: null,
      drift_panel_spent_usd: 0,
      created_at: '2026-11-21T12:00:00.000Z',
    })
    expect((await app.request('get', `/v1/criteria/${body.id}`)).body).toEqual(body)
  })

  it.each([
    [{ name: '' }, 400, 'invalid_request', 'name'],
    [{ judge_prompt: ' ' }, 400, 'invalid_request', 'judge_prompt'],
    [{ judge_prompt: 'a\0b' }, 400, 'invalid_request', 'judge_prompt'],
    [{ judge_model: undefined }, 400, 'invalid_request', 'judge_model'],
    [{ judge_model: 'sim/none' }, 404, 'model_not_found', 'judge_model'],
    [{ judge_model: 'sim/embed' }, 400, 'invalid_request', 'judge_model'],
    [{ unit: 'step' }, 400, 'invalid_request', 'unit'],
    [{ source: 'machine' }, 400, 'invalid_request', 'source'],
    [{ online_percent: 5.5 }, 400, 'invalid_request', 'online_percent'],
    [{ online_percent: 101 }, 400, 'invalid_request', 'online_percent'],
    [{ online_cap_usd: -1 }, 400, 'invalid_request', 'online_cap_usd'],
    [{ online_cap_usd: 0.0000004 }, 400, 'invalid_request', 'online_cap_usd'],
    [{ online_enabled: 'yes' }, 400, 'invalid_request', 'online_enabled'],
    [{ status: 'retired' }, 400, 'unknown_parameter', 'status'],
    [{ tier: 'aligned' }, 400, 'unknown_parameter', 'tier'],
  ])('refuses %j with %d %s', async (more, ...refusal) => {
    expect(errorOf(await app.request('post', '/v1/criteria', { ...minimal, ...more }))).toEqual(refusal)
  })
})

describe('a prompt of a judge', () => {
  it('has at most 32,768 characters', async () => {
    const create = (length: number) =>
      app.request('post', '/v1/criteria', { ...minimal, judge_prompt: 'x'.repeat(length) })
    expect((await create(32_768)).status).toBe(201)
    expect(errorOf(await create(32_769))).toEqual([400, 'invalid_request', 'judge_prompt'])
  })
})

describe('changing a judge', () => {
  it.each([
    [{ name: 'Kind' }, { name: 'Kind' }],
    [{ description: 'For chats' }, { description: 'For chats' }],
    [
      { online_enabled: true, online_percent: 0 },
      { online_enabled: true, online_percent: 0 },
    ],
    [{ online_cap_usd: 0.5 }, { online_cap_usd: 0.5 }],
    [{ status: 'retired' }, { status: 'retired' }],
    [{ judge_prompt: minimal.judge_prompt }, {}],
    [{ judge_model: 'sim/judge', population: '', population_family: '' }, {}],
    [{}, {}],
  ])('by %j keeps its calibration', async (patch, changed) => {
    const id = await app.addCriterion()
    await addCalibration(app, { criterionId: criterionUuid(id) })
    const before = (await app.request('get', `/v1/criteria/${id}`)).body
    const { status, body } = await app.request('patch', `/v1/criteria/${id}`, patch)
    expect([status, body]).toEqual([200, { ...before, ...changed }])
    expect(body.trust).toBe('trustworthy')
  })

  it.each([
    [{ judge_prompt: 'Fail an answer that is long.' }, 'judge_prompt changed'],
    [{ judge_model: 'sim/large' }, 'judge_model changed'],
    [{ population: 'chat' }, 'population changed'],
    [{ population_family: 'seg_1', name: 'Other' }, 'population_family changed'],
  ])('by %j voids its calibration and removes the drift flag', async (patch, reason) => {
    const id = await app.addCriterion()
    const runId = await addCalibration(app, { criterionId: criterionUuid(id) })
    await app.operator.query(`UPDATE criterion SET drift_signal = 'stale', drift_reason = 'old' WHERE id = $1`, [
      criterionUuid(id),
    ])
    const { body } = await app.request('patch', `/v1/criteria/${id}`, patch)
    expect(body).toMatchObject({
      ...patch,
      tier: 'unmeasured',
      trust: 'unmeasured',
      tpr: null,
      tnr: null,
      tpr_ci: null,
      tnr_ci: null,
      kappa: null,
      repeatability: null,
      alignment_n: null,
      aligned_at: null,
      fail_grades_needed: null,
      pass_grades_needed: null,
      drift_status: 'ok',
      drift_signal: null,
      drift_cause: null,
      drift_reason: null,
    })
    const run = await app.request('get', `/v1/criteria/${id}/calibrations/cal_${runId.replaceAll('-', '')}`)
    expect(run.body).toMatchObject({
      status: 'VOIDED',
      void_reason: reason,
      voided_at: app.clock.now().toISOString(),
      tpr: 1,
    })
  })

  it('back to the former values does not make the calibration valid again', async () => {
    const id = await app.addCriterion()
    await addCalibration(app, { criterionId: criterionUuid(id) })
    await app.request('patch', `/v1/criteria/${id}`, { population: 'chat' })
    expect((await app.request('patch', `/v1/criteria/${id}`, { population: '' })).body.trust).toBe('unmeasured')
  })

  it('cannot change its unit', async () => {
    const id = await app.addCriterion()
    for (const unit of ['trace', 'request', null, 7]) {
      const refused = await app.request('patch', `/v1/criteria/${id}`, { unit, name: 'Other' })
      expect(errorOf(refused)).toEqual([400, 'immutable_parameter', 'unit'])
      expect(refused.body.error.type).toBe('invalid_request_error')
    }
    expect((await app.request('get', `/v1/criteria/${id}`)).body.name).toBe('Polite')
  })

  it.each([
    [{ name: null }, 400, 'invalid_request', 'name'],
    [{ judge_model: 'sim/none' }, 404, 'model_not_found', 'judge_model'],
    [{ judge_model: 'sim/embed' }, 400, 'invalid_request', 'judge_model'],
    [{ online_percent: -1 }, 400, 'invalid_request', 'online_percent'],
    [{ online_cap_usd: '5' }, 400, 'invalid_request', 'online_cap_usd'],
    [{ status: 'aligned' }, 400, 'invalid_request', 'status'],
    [{ source: 'human' }, 400, 'unknown_parameter', 'source'],
    [{ trust: 'trustworthy' }, 400, 'unknown_parameter', 'trust'],
  ])('refuses %j with %d %s', async (patch, ...refusal) => {
    const id = await app.addCriterion()
    expect(errorOf(await app.request('patch', `/v1/criteria/${id}`, patch))).toEqual(refusal)
  })

  it('retires it and takes it into use again', async () => {
    const id = await app.addCriterion({ online_enabled: true })
    expect((await app.request('patch', `/v1/criteria/${id}`, { status: 'retired' })).body).toMatchObject({
      status: 'retired',
    })
    expect((await app.request('patch', `/v1/criteria/${id}`, { status: 'draft' })).body).toMatchObject({
      status: 'draft',
    })
  })

  it('by several requests at once voids once for each real change', async () => {
    const id = await app.addCriterion()
    const prompts = ['a', 'b', 'c', 'd', 'e', 'a']
    await Promise.all(prompts.map((judge_prompt) => app.request('patch', `/v1/criteria/${id}`, { judge_prompt })))
    const { rows } = await app.operator.query('SELECT instrument FROM criterion WHERE id = $1', [criterionUuid(id)])
    expect(rows[0].instrument).toBeGreaterThanOrEqual(6)
  })
})

describe('monitoring', () => {
  it('is set like other fields, and its endpoint accepts no other fields', async () => {
    const id = await app.addCriterion()
    await addCalibration(app, { criterionId: criterionUuid(id) })
    const monitor = { online_enabled: true, online_percent: 50, online_cap_usd: 1.25 }
    const { status, body } = await app.request('put', `/v1/criteria/${id}/monitor`, monitor)
    expect([status, body]).toEqual([200, expect.objectContaining({ ...monitor, trust: 'trustworthy' })])
    const refused = await app.request('put', `/v1/criteria/${id}/monitor`, { online_percent: 101 })
    expect(errorOf(refused)).toEqual([400, 'invalid_request', 'online_percent'])
    expect(errorOf(await app.request('put', `/v1/criteria/${id}/monitor`, { name: 'x' }))).toEqual([
      ...[400, 'unknown_parameter', 'name'],
    ])
  })

  it('shows the cost of this week only', async () => {
    const id = await app.addCriterion()
    const judged = (at: string, costNano: number, source = 'online') =>
      addOnlineJudgement(app, { criterionId: criterionUuid(id), at: new Date(at), costNano, source })
    await judged('2026-11-15T23:59:59.999Z', 1_000_000)
    await judged('2026-11-16T00:00:00.000Z', 2_000_000)
    await judged('2026-11-21T11:00:00.000Z', 1_000_000, 'gate')
    await judged('2026-11-21T11:00:00.000Z', 3_000_500, 'shadow')
    await judged('2026-11-21T11:00:00.000Z', 8_000_000, 'scan')
    expect((await app.request('get', `/v1/criteria/${id}`)).body.online_spent_usd).toBe(0.006001)
  })
})

describe('deleting a judge', () => {
  it('deletes its calibrations too', async () => {
    const id = await app.addCriterion()
    await addCalibration(app, { criterionId: criterionUuid(id) })
    expect(await app.request('delete', `/v1/criteria/${id}`)).toMatchObject({
      status: 200,
      body: { id, deleted: true },
    })
    expect((await app.request('get', `/v1/criteria/${id}`)).status).toBe(404)
    expect((await app.request('delete', `/v1/criteria/${id}`)).status).toBe(404)
  })

  it('is not changed while an unfinished run is rewarded by it, but for what is no part of the judge', async () => {
    const id = await app.addCriterion()
    app.runsOf.set(criterionUuid(id), ['Polite'])
    const changes = [
      await app.request('patch', `/v1/criteria/${id}`, { judge_prompt: 'Another.' }),
      await app.request('delete', `/v1/criteria/${id}`),
    ]
    for (const refused of changes) expect(errorOf(refused)).toEqual([409, 'criterion_in_use', null])
    expect((await app.request('patch', `/v1/criteria/${id}`, { name: 'Renamed' })).status).toBe(200)
    app.runsOf.clear()
    expect((await app.request('patch', `/v1/criteria/${id}`, { judge_prompt: 'Another.' })).status).toBe(200)
  })

  it('is refused while a gate uses it', async () => {
    const id = await app.addCriterion()
    app.gatesOf.set(criterionUuid(id), ['chat', 'support'])
    const refused = await app.request('delete', `/v1/criteria/${id}`)
    expect(errorOf(refused)).toEqual([409, 'criterion_in_use', null])
    expect(refused.body.error.message).toContain('chat, support')
    expect((await app.request('get', `/v1/criteria/${id}`)).status).toBe(200)
  })
})

describe('a judge of another workspace', () => {
  it('gives the same reply as an unknown one', async () => {
    const id = await app.addCriterion()
    const other = randomUUID()
    const run = `cal_${'0'.repeat(32)}`
    const paths = [
      ['get', '', undefined],
      ['patch', '', { name: 'x' }],
      ['patch', '', { unit: 'trace' }],
      ['delete', '', undefined],
      ['put', '/monitor', {}],
      ['post', '/calibrate', {}],
      ['get', '/calibrations', undefined],
      ['get', `/calibrations/${run}`, undefined],
      ['get', `/calibrations/${run}/rows`, undefined],
    ] as const
    for (const [method, suffix, body] of paths) {
      const theirs = await app.request(method, `/v1/criteria/${id}${suffix}`, body, other)
      const unknown = await app.request(method, `/v1/criteria/${absent}${suffix}`, body, other)
      const nonsense = await app.request(method, `/v1/criteria/nonsense${suffix}`, body, other)
      expect([theirs.status, theirs.text]).toEqual([404, unknown.text])
      expect(nonsense.text).toBe(unknown.text)
    }
    expect((await app.request('get', `/v1/criteria/${id}`)).body.name).toBe('Polite')
    expect((await app.request('get', '/v1/criteria', undefined, other)).body).toMatchObject({ data: [], total: 0 })
  })
})

describe('the list of judges', () => {
  it('is filtered and paged, newest first', async () => {
    const workspace = randomUUID()
    const add = async (more: object) => {
      app.clock.advance(1_000)
      return (await app.request('post', '/v1/criteria', { ...minimal, ...more }, workspace)).body.id as string
    }
    const trusted = await add({ population: 'chat' })
    const traces = await add({ unit: 'trace' })
    const retired = await add({})
    await app.request('patch', `/v1/criteria/${retired}`, { status: 'retired' }, workspace)
    await addCalibration(app, { criterionId: criterionUuid(trusted), workspaceId: workspace })
    const list = async (query: string) => {
      const { body } = await app.request('get', `/v1/criteria${query}`, undefined, workspace)
      return { ids: body.data.map(({ id }: { id: string }) => id), total: body.total, more: body.has_more }
    }
    expect(await list('')).toEqual({ ids: [retired, traces, trusted], total: 3, more: false })
    expect(await list('?status=retired')).toEqual({ ids: [retired], total: 1, more: false })
    expect(await list('?status=draft&unit=trace')).toEqual({ ids: [traces], total: 1, more: false })
    expect(await list('?population=chat')).toEqual({ ids: [trusted], total: 1, more: false })
    expect(await list('?population=')).toEqual({ ids: [retired, traces], total: 2, more: false })
    expect(await list('?trust=trustworthy')).toEqual({ ids: [trusted], total: 1, more: false })
    expect(await list('?trust=unmeasured&limit=1')).toEqual({ ids: [retired], total: 2, more: true })
    expect(await list('?limit=1&offset=2')).toEqual({ ids: [trusted], total: 3, more: false })
    expect(await list('?offset=3')).toEqual({ ids: [], total: 3, more: false })
  })

  it.each([
    ['?limit=0', 'invalid_request', 'limit'],
    ['?limit=201', 'invalid_request', 'limit'],
    ['?trust=yes', 'invalid_request', 'trust'],
    ['?status=live', 'invalid_request', 'status'],
    ['?color=red', 'unknown_parameter', 'color'],
  ])('refuses %s with 400 %s', async (query, ...refusal) => {
    expect(errorOf(await app.request('get', `/v1/criteria${query}`))).toEqual([400, ...refusal])
  })
})

describe('a repeated Idempotency-Key', () => {
  const keyed = (key: string, body: object, by?: string) =>
    app.request('post', '/v1/criteria', body, by, { 'idempotency-key': key })
  const countOf = async () => (await app.request('get', '/v1/criteria?limit=1')).body.total

  it('gets the first answer and creates one judge, also at the same time and after a change of it', async () => {
    const before = await countOf()
    const key = randomUUID()
    const first = await keyed(key, minimal)
    await app.request('patch', `/v1/criteria/${first.body.id}`, { name: 'Renamed' })
    const again = await keyed(key, minimal)
    expect([again.status, again.headers['idempotent-replay'], again.body]).toEqual([201, 'true', first.body])
    expect([first.headers['idempotent-replay'], await countOf()]).toEqual([undefined, before + 1])
    const together = await Promise.all(Array.from({ length: 4 }, () => keyed('together', minimal)))
    const ids = together.flatMap(({ status, body }) => (status === 201 ? [body.id] : []))
    const refused = together.flatMap(({ status, body }) => (status === 201 ? [] : [body.error.code]))
    expect([new Set(ids).size, refused.filter((code) => code !== 'conflict')]).toEqual([1, []])
    expect(await countOf()).toBe(before + 2)
  })

  it('is refused for another request, is free after a failed one, and belongs to its workspace', async () => {
    const key = randomUUID()
    expect(errorOf(await keyed(key, { ...minimal, judge_model: 'sim/none' }))[0]).toBe(404)
    expect((await keyed(key, minimal)).status).toBe(201)
    expect(errorOf(await keyed(key, { ...minimal, name: 'Other' }))).toEqual([
      409,
      'idempotency_conflict',
      'Idempotency-Key',
    ])
    expect(errorOf(await keyed('not a key', minimal))).toEqual([400, 'invalid_request', 'Idempotency-Key'])
    const elsewhere = await keyed(key, { ...minimal, name: 'Other' }, randomUUID())
    expect([elsewhere.status, elsewhere.body.name]).toEqual([201, 'Other'])
  })
})

it('notifies open pages of every change of a judge, and of none that was refused', async () => {
  const workspace = randomUUID()
  const topicsAfter = async (...[method, path, body]: Parameters<JudgingApp['request']>) => {
    app.notified.length = 0
    const answer = await app.request(method, path, body, workspace)
    return { answer, seen: [answer.status, ...app.notified] }
  }
  const notified = `${workspace} judges`
  const created = await topicsAfter('post', '/v1/criteria', minimal)
  expect(created.seen).toEqual([201, notified])
  const path = `/v1/criteria/${created.answer.body.id}`
  expect((await topicsAfter('post', '/v1/criteria', { ...minimal, name: '' })).seen).toEqual([400])
  expect((await topicsAfter('patch', path, { name: 'Kind' })).seen).toEqual([200, notified])
  expect((await topicsAfter('delete', path)).seen).toEqual([200, notified])
  expect((await topicsAfter('delete', path)).seen).toEqual([404])
})
