import { randomUUID } from 'node:crypto'
import type { GateJudge } from '../gate/gate-judge.ts'
import { criterionId, judgeWith } from './alias.fixture.ts'
import { type AliasApp, aliasApp } from './alias-app.fixture.ts'

let app: AliasApp

beforeAll(async () => {
  app = await aliasApp()
})

afterAll(() => app.drop())

beforeEach(async () => {
  await app.operator.query('TRUNCATE alias, alias_event, audit_bytes CASCADE')
  await app.operator.query('DELETE FROM workspace_settings')
  app.judge = judgeWith({})
  app.evals = []
  app.topics.length = 0
})

const support = { name: 'support', target_model: 'sim/large' }
const canary = { ...support, canary_model: 'sim/small', canary_percent: 10 }
const gated = { ...canary, gate_criterion_id: criterionId, gate_mode: 'recommend' }

const events = async (name = 'support') => (await app.send('get', `/v1/aliases/${name}/events`)).body.data

it('creates an alias with all fields and defaults, and reads it', async () => {
  const made = await app.put(support)
  expect(made.status).toBe(200)
  expect(made.body).toEqual({
    object: 'alias',
    ...support,
    description: null,
    canary_model: null,
    canary_percent: 0,
    gate_criterion_id: null,
    gate_mode: null,
    gate_min_samples_per_arm: 100,
    gate_rollback_threshold: 0.05,
    gate_window_hours: 72,
    gate_confidence: 0.95,
    gate_guard: null,
    sticky_by: 'request',
    shadow_model: null,
    shadow_percent: 0,
    require_evidence: null,
    family_rules: [],
    gate_state: null,
    gate_plan: null,
    gate_plan_missing: null,
    created_at: app.clock.now().toISOString(),
    updated_at: app.clock.now().toISOString(),
    updated_by: app.userId,
    version: 1,
  })
  expect((await app.send('get', '/v1/aliases/support')).body).toEqual(made.body)
  const list = await app.send('get', '/v1/aliases')
  expect(list.body).toEqual({ object: 'list', data: [made.body], total: 1, limit: 50, offset: 0, has_more: false })
})

it('replaces the whole alias: a missing field gets its default', async () => {
  await app.put({ ...gated, description: 'For support.', gate_guard: { max_cost_ratio: 2 } })
  const { body } = await app.put(support)
  expect(body).toMatchObject({ description: null, canary_model: null, canary_percent: 0, gate_guard: null, version: 2 })
})

it('keeps the rules for prompt families when they are left out, because gates write them too', async () => {
  const rules = [
    { segment: '*', model: null },
    { segment: 'none', model: 'small' },
  ]
  const stored = [rules[0], { segment: 'none', model: 'sim/small' }]
  expect((await app.put({ ...gated, family_rules: rules })).body).toMatchObject({ family_rules: stored })
  const { body } = await app.put({ ...gated, canary_percent: 20 })
  expect(body).toMatchObject({ canary_percent: 20, family_rules: stored })
  expect((await app.put({ ...gated, family_rules: [] })).body).toMatchObject({ family_rules: [] })
  expect((await events())[0]).toMatchObject({ before: { family_rules: stored }, after: { family_rules: [] } })
})

it('refuses more rules for prompt families than a workspace may have', async () => {
  const rules = (count: number) =>
    Array.from({ length: count }, (_, each) => ({ segment: `seg_${each.toString(16).padStart(16, '0')}`, model: null }))
  for (let each = 0; each < 49; each += 1) await app.put({ ...support, name: `full-${each}`, family_rules: rules(200) })
  expect((await app.put({ ...support, family_rules: rules(199) })).status).toBe(200)
  expect((await app.put({ ...support, name: 'last', family_rules: rules(1) })).status).toBe(200)
  expect((await app.put({ ...support, family_rules: rules(200) })).body.error).toMatchObject({
    code: 'invalid_request',
    param: 'family_rules',
  })
  expect((await app.put({ ...support, family_rules: rules(10) })).status).toBe(200)
})

it('stores the ids that models have in the catalog', async () => {
  const { body } = await app.put({ ...support, target_model: 'large', canary_model: 'small' })
  expect(body).toMatchObject({ target_model: 'sim/large', canary_model: 'sim/small' })
})

it('makes no change when the settings are the same', async () => {
  await app.put(gated)
  expect((await app.put(gated)).body.version).toBe(1)
  expect(await events()).toHaveLength(1)
})

it.each<[string, object, string, string]>([
  ['a name that is too short', { name: 'ab' }, 'invalid_request', 'name'],
  ['a name that is too long', { name: 'a'.repeat(65) }, 'invalid_request', 'name'],
  ['a name that would break a header', { name: 'a\r\nX-Evil: 1' }, 'invalid_request', 'name'],
  ['a name with NUL', { name: 'abc\0' }, 'invalid_request', 'name'],
  ['a name in other letters', { name: 'täglich' }, 'invalid_request', 'name'],
  ['a name with a slash', { name: 'sim/large' }, 'invalid_request', 'name'],
  ['a name of a model in the catalog', { name: 'medium' }, 'alias_shadows_model', 'name'],
  ['a name of a model that needs a key', { name: 'gpt-5' }, 'alias_shadows_model', 'name'],
  ['no target', { target_model: undefined }, 'invalid_request', 'target_model'],
  ['an unknown target', { target_model: 'sim/nothing' }, 'unknown_model', 'target_model'],
  ['an unknown canary', { canary_model: 'sim/nothing' }, 'unknown_model', 'canary_model'],
  ['an unknown shadow', { shadow_model: 'sim/nothing', shadow_percent: 1 }, 'unknown_model', 'shadow_model'],
  ['a provider without a key', { target_model: 'openai/gpt-4o' }, 'unknown_provider', 'target_model'],
  ['a dedicated target', { target_model: 'dedicated/mine' }, 'alias_target_dedicated', 'target_model'],
  ['a dedicated canary', { canary_model: 'dedicated/mine' }, 'alias_target_dedicated', 'canary_model'],
  ['a share without a canary', { canary_percent: 10 }, 'invalid_request', 'canary_model'],
  ['a canary that is the target', { canary_model: 'sim/large' }, 'invalid_request', 'canary_model'],
  ['a canary that is the target by another name', { canary_model: 'large' }, 'invalid_request', 'canary_model'],
  ['a canary of another kind', { canary_model: 'sim/embed' }, 'invalid_request', 'canary_model'],
  ['a share above 100', { canary_model: 'sim/small', canary_percent: 101 }, 'invalid_request', 'canary_percent'],
  ['half a percent', { canary_model: 'sim/small', canary_percent: 0.5 }, 'invalid_request', 'canary_percent'],
  ['a share without a shadow model', { shadow_percent: 10 }, 'invalid_request', 'shadow_model'],
  ['a gate without a judge', { gate_mode: 'auto' }, 'invalid_request', 'gate_criterion_id'],
  ['too few samples', { gate_min_samples_per_arm: 49 }, 'invalid_request', 'gate_min_samples_per_arm'],
  ['a negative drop', { gate_rollback_threshold: -0.1 }, 'invalid_request', 'gate_rollback_threshold'],
  ['no window', { gate_window_hours: 0 }, 'invalid_request', 'gate_window_hours'],
  ['full confidence', { gate_confidence: 1 }, 'invalid_request', 'gate_confidence'],
  ['an unknown guard', { gate_guard: { max_fun: 1 } }, 'unknown_parameter', 'gate_guard.max_fun'],
  ['an unknown stickiness', { sticky_by: 'user' }, 'invalid_request', 'sticky_by'],
  ['half a character', { description: '\ud800' }, 'invalid_request', 'description'],
  [
    'a shadow model that is the canary',
    { canary_model: 'sim/small', canary_percent: 5, shadow_model: 'small', shadow_percent: 5 },
    'invalid_request',
    'shadow_model',
  ],
  [
    'a rule of an unknown model',
    { family_rules: [{ segment: 'none', model: 'sim/nothing' }] },
    'unknown_model',
    'family_rules',
  ],
  [
    'a rule of another kind of model',
    { family_rules: [{ segment: 'none', model: 'sim/embed' }] },
    'invalid_request',
    'family_rules',
  ],
  [
    'a rule of no segment',
    { family_rules: [{ segment: 'support', model: null }] },
    'invalid_request',
    'family_rules.0.segment',
  ],
  [
    'two rules of one segment',
    {
      family_rules: [
        { segment: 'none', model: null },
        { segment: 'none', model: 'sim/small' },
      ],
    },
    'invalid_request',
    'family_rules',
  ],
  ['force without a reason', { force: true }, 'invalid_request', 'reason'],
  ['a read-only field', { version: 7 }, 'unknown_parameter', 'version'],
  ['an unknown field', { canaryPercent: 7 }, 'unknown_parameter', 'canaryPercent'],
])('refuses %s', async (_case, more, code, param) => {
  const { status, body } = await app.put({ ...support, ...more })
  expect([status, body.error.code, body.error.param]).toEqual([400, code, param])
  expect((await app.send('get', '/v1/aliases')).body.total).toBe(0)
})

it.each<[string, GateJudge | null, object, number, string]>([
  ['a judge of another workspace', null, {}, 404, 'not_found'],
  ['a judge of runs without sticky traces', judgeWith({ unit: 'trace' }), {}, 400, 'unsupported_unit'],
  [
    'a judge of runs with a shadow',
    judgeWith({ unit: 'trace' }),
    { sticky_by: 'trace', shadow_model: 'sim/medium', shadow_percent: 5 },
    400,
    'unsupported_unit',
  ],
  [
    'a judge of runs with rules for prompt families',
    judgeWith({ unit: 'trace' }),
    { sticky_by: 'trace', family_rules: [{ segment: 'none', model: 'sim/small' }] },
    400,
    'unsupported_unit',
  ],
  ['a retired judge', judgeWith({ isRetired: true }), {}, 400, 'invalid_request'],
  [
    'an untrusted judge for a gate of mode auto',
    judgeWith({ trust: 'under-measured' }),
    { gate_mode: 'auto' },
    412,
    'precondition_failed',
  ],
  [
    'a flagged judge for a gate of mode auto',
    judgeWith({ isFlagged: true }),
    { gate_mode: 'auto' },
    412,
    'precondition_failed',
  ],
])('refuses %s', async (_case, judge, more, status, code) => {
  app.judge = judge
  const answer = await app.put({ ...gated, ...more })
  expect([answer.status, answer.body.error.code]).toEqual([status, code])
})

it('writes an audit row with before and after for each change', async () => {
  await app.put(support)
  await app.put(gated)
  await app.put({ ...gated, description: 'For support.' })
  await app.put({ ...gated, target_model: 'sim/medium' }, { role: 'owner' })
  await app.send('post', '/v1/aliases/support/rollback', { body: { reason: 'Too slow.' } })
  await app.send('delete', '/v1/aliases/support')
  const rows = await events()
  expect(rows.map((row: { kind: string }) => row.kind).sort()).toEqual([
    'canary_set',
    'created',
    'delete',
    'repoint',
    'rollback',
    'update',
  ])
  const rolledBack = rows.find((row: { reason: string | null }) => row.reason === 'Too slow.')
  expect(rolledBack).toMatchObject({
    kind: 'rollback',
    actor: { type: 'user', user_id: app.userId, name: null, key_id: app.userId },
    before: { canary_percent: 10 },
    after: { canary_percent: 0 },
    request_id: 'r1',
  })
  expect(rows.find((row: { kind: string }) => row.kind === 'delete')).toMatchObject({ after: null })
})

it('names the person who changed it, as long as they are a member', async () => {
  const { userId, workspaceId } = app
  const values = [userId, workspaceId]
  await app.operator.query("INSERT INTO app_user (id, email, name, created_at) VALUES ($1, 'ann@a.b', 'Ann', now())", [
    userId,
  ])
  const join = "INSERT INTO membership (user_id, workspace_id, role, created_at) VALUES ($1, $2, 'owner', now())"
  await app.operator.query(join, values)
  await app.put(support)
  const nameOf = async () => (await events())[0].actor.name
  expect(await nameOf()).toBe('Ann')
  await app.operator.query('DELETE FROM membership WHERE user_id = $1 AND workspace_id = $2', values)
  expect(await nameOf()).toBeNull()
})

it('rolls back with and without a body, and repeatedly', async () => {
  await app.put(gated)
  const rolledBack = await app.send('post', '/v1/aliases/support/rollback')
  expect(rolledBack.body).toMatchObject({ canary_percent: 0, canary_model: 'sim/small', gate_state: 'rolled_back' })
  const again = await app.send('post', '/v1/aliases/support/rollback', { body: {} })
  expect(again.body).toEqual(rolledBack.body)
  expect((await app.send('post', '/v1/aliases/support/rollback', { body: { why: 1 } })).status).toBe(400)
})

it('refuses a change of another version than the one in If-Match', async () => {
  await app.put(support)
  expect((await app.put(canary, { ifMatch: '1' })).body.version).toBe(2)
  const stale = await app.put({ ...canary, canary_percent: 50 }, { ifMatch: '"1"' })
  expect([stale.status, stale.body.error.code, stale.body.error.param]).toEqual([412, 'version_conflict', 'If-Match'])
  expect(stale.body.error.details).toEqual({ version: 2 })
  expect((await app.put({ ...canary, canary_percent: 50 }, { ifMatch: 'two' })).status).toBe(400)
  expect((await app.send('delete', '/v1/aliases/support', { ifMatch: '1' })).status).toBe(412)
  expect((await app.put({ name: 'absent', target_model: 'sim/large' }, { ifMatch: '1' })).status).toBe(412)
})

it('creates an alias and changes none with If-None-Match', async () => {
  const made = await Promise.all(
    [1, 2, 3].map((percent) => app.put({ ...canary, canary_percent: percent }, { isNew: true })),
  )
  expect(made.map(({ status }) => status).sort()).toEqual([200, 412, 412])
  expect(made.find(({ status }) => status === 412)?.body.error).toMatchObject({
    code: 'version_conflict',
    param: 'If-None-Match',
    details: { version: 1 },
  })
})

it('accepts one of many concurrent changes of the same version', async () => {
  await app.put(support)
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => app.put({ ...canary, canary_percent: index + 1 }, { ifMatch: '1' })),
  )
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 412)])
})

it('applies concurrent changes without a version one after the other, each with its audit row', async () => {
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => app.put({ ...canary, canary_percent: index + 1 })),
  )
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  expect((await app.send('get', '/v1/aliases/support')).body.version).toBe(8)
  const rows: { before: object | null; after: object }[] = await events()
  expect(rows).toHaveLength(8)
  // The state before each change is the state after another one.
  const befores = rows.flatMap(({ before }) => (before === null ? [] : [JSON.stringify(before)]))
  const afters = new Set(rows.map(({ after }) => JSON.stringify(after)))
  expect(befores.every((before) => afters.has(before))).toBe(true)
})

it('replies for an alias of another workspace as for one that does not exist', async () => {
  await app.put(support)
  const by = randomUUID()
  for (const path of ['/v1/aliases/support', '/v1/aliases/support/gate', '/v1/aliases/support/events']) {
    const absent = path.replace('support', 'nothing')
    expect((await app.send('get', path, { by })).text).toBe((await app.send('get', absent, { by })).text)
  }
  expect((await app.send('delete', '/v1/aliases/support', { by })).status).toBe(404)
  expect((await app.send('post', '/v1/aliases/support/rollback', { by })).status).toBe(404)
  expect((await app.send('get', '/v1/aliases', { by })).body.total).toBe(0)
  expect((await app.send('get', '/v1/aliases/a%00b')).status).toBe(404)
})

it('keeps the audit of a deleted alias, and frees its name', async () => {
  await app.put(support)
  expect((await app.send('delete', '/v1/aliases/support')).body).toEqual({ name: 'support', deleted: true })
  expect((await app.send('get', '/v1/aliases/support')).status).toBe(404)
  expect((await app.put(canary)).body.version).toBe(1)
  expect(await events()).toHaveLength(3)
})

it('refuses changes beyond what a workspace may add to its audits in a day, but no roll-back and no deletion', async () => {
  await app.put(canary)
  await app.operator.query('UPDATE audit_bytes SET bytes = bytes + 20 * 1048576')
  const refused = await app.put({ ...canary, canary_percent: 20 })
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limit_exceeded' } } })
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(24 * 3_600)
  expect((await app.put(canary)).body).toMatchObject({ version: 1, canary_percent: 10 })
  expect(await events()).toHaveLength(1)
  expect((await app.send('post', '/v1/aliases/support/rollback')).status).toBe(200)
  expect((await app.send('delete', '/v1/aliases/support')).status).toBe(200)
  expect((await app.put(support)).status).toBe(429)
  await app.operator.query('TRUNCATE audit_bytes')
  expect((await app.put(support)).status).toBe(200)
})

it('shows a creation that an earlier release called a repoint as one', async () => {
  await app.put(support)
  await app.put({ ...support, target_model: 'sim/medium' })
  // As the earlier release wrote it.
  await app.operator.query('ALTER TABLE alias_event DISABLE TRIGGER alias_event_append_only')
  await app.operator.query(`UPDATE alias_event SET kind = 'repoint'`)
  await app.operator.query('ALTER TABLE alias_event ENABLE TRIGGER alias_event_append_only')
  const session = { id: randomUUID(), mayGrade: false, isFresh: false }
  const kindsOf = (rows: readonly { readonly kind: string }[]) => rows.map(({ kind }) => kind)
  expect(kindsOf(await events())).toEqual(['repoint', 'created'])
  const audit = async (query: string) => (await app.send('get', `/session/aliases/audit${query}`, { session })).body
  expect(kindsOf((await audit('?kind=created')).data)).toEqual(['created'])
  expect(kindsOf((await audit('?kind=repoint')).data)).toEqual(['repoint'])
})

it('refuses changes of the audit', async () => {
  await app.put(support)
  await expect(app.operator.query(`UPDATE alias_event SET reason = 'x'`)).rejects.toThrow('only ever added')
})

it('notifies open pages of every change, and of none that was refused or changed nothing', async () => {
  const notified = ['alias:support', 'aliases']
  const topicsAfter = async (change: Promise<{ readonly status: number }>) => {
    const { status } = await change
    return [status, ...app.topics.splice(0)]
  }
  expect(await topicsAfter(app.put(canary))).toEqual([200, ...notified])
  expect(await topicsAfter(app.put(canary))).toEqual([200])
  expect(await topicsAfter(app.put(support, { ifMatch: '"9"' }))).toEqual([412])
  expect(await topicsAfter(app.send('post', '/v1/aliases/support/rollback'))).toEqual([200, ...notified])
  expect(await topicsAfter(app.send('delete', '/v1/aliases/support'))).toEqual([200, ...notified])
  expect(await topicsAfter(app.send('delete', '/v1/aliases/support'))).toEqual([404])
})
