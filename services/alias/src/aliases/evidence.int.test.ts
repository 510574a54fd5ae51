import { evidenceProblems } from '@ratchet/contracts/eval-evidence'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { criterionId, judgeWith } from './alias.fixture.ts'
import { type AliasApp, aliasApp } from './alias-app.fixture.ts'

let app: AliasApp

beforeAll(async () => {
  app = await aliasApp()
})

afterAll(() => app.drop())

beforeEach(async () => {
  await app.operator.query('TRUNCATE alias, alias_event CASCADE')
  await app.operator.query('DELETE FROM workspace_settings')
  app.judge = judgeWith({})
  app.evals = []
})

const support = { name: 'support', target_model: 'sim/large' }
const canary = { ...support, canary_model: 'sim/small', canary_percent: 10 }
const gated = { ...canary, gate_criterion_id: criterionId, gate_mode: 'recommend' }

async function enforce() {
  const text = `INSERT INTO workspace_settings (workspace_id, evidence_policy) VALUES ($1, 'enforce')`
  await app.operator.query(text, [app.workspaceId])
}

const events = async () => (await app.send('get', '/v1/aliases/support/events')).body.data

describe('under the evidence policy', () => {
  beforeEach(enforce)
  const other = { ...support, target_model: 'sim/medium' }

  it('creates aliases and sets canaries below 100 % without evidence', async () => {
    expect((await app.put(support)).status).toBe(200)
    expect((await app.put({ ...canary, canary_percent: 99 })).status).toBe(200)
  })

  it('refuses a repoint and a canary of 100 % without evidence, and lists what is missing', async () => {
    await app.put(canary)
    for (const requested of [other, { ...canary, canary_percent: 100 }]) {
      const { status, body } = await app.put(requested)
      expect([status, body.error.code]).toEqual([412, 'precondition_failed'])
      expect(body.error.details.missing.map((each: { requirement: string }) => each.requirement)).toEqual([
        ...['eval', 'canary', 'served_before', 'force'],
      ])
    }
    expect((await app.send('get', '/v1/aliases/support')).body.version).toBe(1)
  })

  it('refuses the move of an alias that was deleted and is created again, but not the same alias', async () => {
    await app.put(support)
    for (const requested of [other, { ...support, require_evidence: false }]) {
      expect((await app.send('delete', '/v1/aliases/support')).status).toBe(200)
      expect((await app.put(requested)).status).toBe(requested === other ? 412 : 403)
      expect((await app.put(support)).status).toBe(200)
    }
    await app.send('delete', '/v1/aliases/support')
    expect((await app.put({ ...other, force: true, reason: 'New' }, { role: 'owner' })).status).toBe(200)
    expect((await events())[0]).toMatchObject({ evidence: { kind: 'forced' } })
    // After 30 days without an alias of this name, the new one replaces none.
    await app.send('delete', '/v1/aliases/support')
    app.clock.advance(31 * dayMs)
    expect((await app.put(support)).status).toBe(200)
  })

  it('refuses a gate that promotes by itself on little, but not one that recommends', async () => {
    const auto = { ...gated, gate_mode: 'auto' }
    for (const loose of [{ gate_rollback_threshold: 0.5 }, { gate_confidence: 0.6 }]) {
      const { status, body } = await app.put({ ...auto, ...loose })
      expect([status, body.error.code]).toEqual([412, 'precondition_failed'])
      expect(body.error.details.missing[0].requirement).toBe('strict_gate')
      expect((await app.put({ ...gated, ...loose })).status).toBe(200)
    }
    expect((await app.put(auto)).status).toBe(200)
  })

  it('refuses a model for the alias, and for another family, that one family has', async () => {
    await app.operator.query('DELETE FROM workspace_settings')
    const rules = [{ segment: 'none', model: 'sim/small' }]
    await app.put({ ...support, family_rules: rules })
    await enforce()
    const others = [{ segment: 'seg_0123456789abcdef', model: 'sim/small' }]
    for (const requested of [
      { ...support, target_model: 'sim/small', family_rules: rules },
      { ...support, family_rules: [...rules, ...others] },
    ]) {
      expect((await app.put(requested)).status).toBe(412)
    }
    expect((await app.put({ ...support, family_rules: rules, description: 'The same.' })).status).toBe(200)
  })

  it('refuses another model for a prompt family without evidence, but not the target', async () => {
    await app.put(canary)
    const ruled = (model: string | null) => ({ ...canary, family_rules: [{ segment: 'none', model }] })
    for (const model of ['sim/small', 'sim/medium']) {
      const { status, body } = await app.put(ruled(model))
      expect([status, body.error.code]).toEqual([412, 'precondition_failed'])
    }
    expect((await app.put(ruled('sim/large'))).status).toBe(200)
    expect((await app.put(ruled(null))).status).toBe(200)
  })

  const weighed = {
    problems: [] as string[],
    people: null,
    attempt: 1,
    level: 0.0125,
    prompt_uses: 0,
    prompts_needed: 120,
    samples_judged: 100,
    sample_count: 100,
    seed: 7,
  }
  const evalWith = (low: number | null, more: object = {}, found: object = {}) => {
    const bounds = { win_rate_low: low, win_rate_low_if_fresh: low }
    const evidence = { ...weighed, ...bounds, ...more }
    return {
      eval_id: 'eval_1',
      win_rate: 0.6,
      win_rate_ci: [0.55, 0.7],
      finished_at: '2026-11-20T00:00:00.000Z',
      savings_pct: null,
      ...found,
      evidence,
    }
  }
  const cheap = { savings_pct: 30, savings_low: 1, criterion_id: criterionId }
  const watched = { gate_criterion_id: criterionId }
  it.each([
    ['an eval with a win', 0.5, {}, {}, 200],
    ['an eval without a win', 0.49, {}, {}, 412],
    ['an eval that proves nothing', null, {}, {}, 412],
    ['an eval with a near win and savings, with its judge in the gate', 0.45, cheap, watched, 200],
    ['the same without a judge in the gate', 0.45, cheap, {}, 412],
    ['the same with another judge', 0.45, { ...cheap, criterion_id: `crit_${'1'.repeat(32)}` }, watched, 412],
    ['the same without a criterion', 0.45, { ...cheap, criterion_id: null }, watched, 412],
    ['the same with savings that are not proven', 0.45, { ...cheap, savings_low: -1 }, watched, 412],
    ['the same of an older process', 0.45, { savings_pct: 30 }, watched, 412],
  ])('decides by %s: lower bound %j, savings %j', async (_case, low, savings, more, status) => {
    await app.put(support)
    app.evals = [evalWith(low, {}, savings)]
    expect((await app.put({ ...other, ...more })).status).toBe(status)
    if (status === 200) {
      expect((await events())[0].evidence).toMatchObject({
        kind: 'eval',
        by: 'judge',
        to: 'sim/medium',
        evidence: { attempt: 1, seed: 7, sample_count: 100 },
      })
    }
  })

  const byPeople = {
    problems: [],
    compared: 60,
    compared_by: ['user-1'],
    attempt: 2,
    level: 0.004,
    win_rate: 0.8,
    win_rate_low: 0.5,
  }
  it.each([
    ['a win', byPeople, 200],
    ['no win', { ...byPeople, win_rate_low: 0.49 }, 412],
    ['too few samples', { ...byPeople, problems: ['too_few_samples'] }, 412],
    ['nothing proven', { ...byPeople, win_rate_low: null }, 412],
  ])('decides by what people compared blind, whatever the judge is worth: %s', async (_case, people, status) => {
    await app.put(support)
    app.evals = [evalWith(null, { problems: ['judge_unmeasured'], people })]
    const refused = await app.put(other)
    expect(refused.status).toBe(status)
    const audited = { kind: 'eval', by: 'people', evidence: { people: { compared_by: ['user-1'] } } }
    if (status === 200) expect((await events())[0].evidence).toMatchObject(audited)
    else expect(refused.body.error.details.missing[0].evals).toMatchObject([{ people }])
  })

  it.each(evidenceProblems)('accepts no eval with the problem %s, and names it', async (problem) => {
    await app.put(support)
    app.evals = [evalWith(0.9, { problems: [problem], judge_cannot_act_reason: 'e-value' })]
    const { status, body } = await app.put(other)
    expect([status, body.error.code]).toEqual([412, 'precondition_failed'])
    expect(body.error.details.missing[0]).toMatchObject({
      requirement: 'eval',
      evals: [{ eval_id: 'eval_1', problems: [problem], judge_cannot_act_reason: 'e-value', win_rate_low: 0.9 }],
    })
  })

  it.each([
    ['drifted', { isFlagged: true, hasDrifted: true }, 412],
    ['old, but as calibrated', { isFlagged: true, hasDrifted: false }, 200],
  ])('reads the judge of an eval again when a move relies on it: %s', async (_case, judge, status) => {
    await app.put(support)
    app.judge = judgeWith(judge)
    app.evals = [evalWith(0.6, {}, { criterion_id: criterionId })]
    const { status: found, body } = await app.put(other)
    expect(found).toBe(status)
    if (status === 412) expect(body.error.details.missing[0].evals).toMatchObject([{ problems: ['judge_drifted'] }])
  })

  it('accepts no eval whose judge was deleted, but what people compared, and waits while judges cannot be read', async () => {
    await app.put(support)
    app.judge = null
    app.evals = [evalWith(0.6, {}, { criterion_id: criterionId })]
    expect((await app.put(other)).status).toBe(412)
    app.judge = new FleetCallError('away', { status: 503 })
    expect((await app.put(other)).status).toBe(503)
    // Another eval that a judge proves does not stop what people prove.
    const judged = evalWith(0.6, {}, { criterion_id: criterionId })
    app.evals = [judged, evalWith(0.6, { people: byPeople }, { criterion_id: criterionId })]
    expect((await app.put(other)).status).toBe(200)
    expect((await events())[0].evidence).toMatchObject({ by: 'people' })
  })

  it('names a judge that has drifted, whatever its eval proves and where its prompts are used up', async () => {
    await app.put(support)
    app.judge = judgeWith({ hasDrifted: true })
    for (const used of [{}, { win_rate_low_if_fresh: 0.55, prompt_uses: 12.25 }]) {
      app.evals = [evalWith(0.4, used, { criterion_id: criterionId })]
      const { body } = await app.put(other)
      expect(body.error.code).toBe('precondition_failed')
      expect(body.error.details.missing[0].evals).toMatchObject([{ problems: ['judge_drifted'] }])
    }
  })

  it('accepts one sound eval among others', async () => {
    await app.put(support)
    app.evals = [evalWith(0.9, { problems: ['judge_biased'] }), evalWith(0.3), { ...evalWith(0.6), eval_id: 'eval_2' }]
    expect((await app.put(other)).status).toBe(200)
    expect((await events())[0].evidence).toMatchObject({ evalId: 'eval_2' })
  })

  it('accepts no eval of a process that does not weigh evidence', async () => {
    await app.put(support)
    app.evals = [{ ...evalWith(0.9), evidence: undefined }]
    expect((await app.put(other)).status).toBe(412)
  })

  it('replies that the evidence is exhausted when only fresh prompts are missing', async () => {
    await app.put(support)
    const used = { win_rate_low_if_fresh: 0.55, prompt_uses: 12.25 }
    app.evals = [evalWith(0.4, used)]
    const { status, body } = await app.put(other)
    expect([status, body.error.code]).toEqual([412, 'evidence_exhausted'])
    expect(body.error.details).toMatchObject({
      prompt_uses: 12.25,
      prompts_needed: 120,
      missing: [{ requirement: 'fresh_prompts' }, { requirement: 'eval' }, {}, {}, { requirement: 'force' }],
    })
    app.evals = [evalWith(null, used)]
    expect((await app.put(other)).body.error.code).toBe('evidence_exhausted')
    // An unsound judge is no matter of prompts.
    app.evals = [evalWith(0.4, { ...used, problems: ['judge_unmeasured'] })]
    expect((await app.put(other)).body.error.code).toBe('precondition_failed')
    app.evals = [evalWith(0.4, used)]
    expect((await app.put({ ...other, force: true, reason: 'Outage.' }, { role: 'owner' })).status).toBe(200)
    expect((await events())[0]).toMatchObject({ reason: 'Outage.', evidence: { kind: 'forced' } })
  })

  it('never blocks a rollback', async () => {
    await app.put(support)
    await app.put({ ...other, force: true, reason: 'Outage.' }, { role: 'owner' })
    expect((await app.put(support)).status).toBe(200)
    app.clock.advance(31 * dayMs)
    expect((await app.put(other)).status).toBe(412)
  })

  it('cannot be bypassed by a canary of 100 % and a rollback', async () => {
    await app.put({ ...canary, canary_percent: 100 })
    const swapped = { ...canary, target_model: 'sim/medium', canary_percent: 100 }
    expect((await app.put(swapped)).status).toBe(412)
    expect((await app.put({ ...support, target_model: 'sim/small' })).status).toBe(200)
  })

  it('allows a rollback while evals are unavailable, and with any state of the judge', async () => {
    await app.put({ ...gated, gate_mode: 'auto' })
    await app.operator.query(`UPDATE alias SET gate_state = 'promote_ready'`)
    await app.put({ ...gated, gate_mode: 'auto', canary_percent: 100 })
    app.evals = new Error('eval is unavailable')
    app.judge = judgeWith({ isFlagged: true, isRetired: true })
    expect((await app.put({ ...gated, gate_mode: 'auto', canary_percent: 0 })).status).toBe(200)
    app.judge = new Error('judging is unavailable')
    expect(
      (await app.put({ ...gated, gate_mode: 'auto', canary_percent: 0, description: 'Rolled back.' })).status,
    ).toBe(200)
    expect((await app.put({ ...support, target_model: 'sim/small' })).status).toBe(200)
    expect((await app.put({ ...other, force: true, reason: 'Outage.' }, { role: 'owner' })).status).toBe(200)
  })

  it('does not accept a gate with a high threshold as evidence', async () => {
    await app.put({ ...gated, gate_rollback_threshold: 0.5 })
    await app.operator.query(`UPDATE alias SET gate_state = 'promote_ready'`)
    expect((await app.put({ ...gated, gate_rollback_threshold: 0.5, canary_percent: 100 })).status).toBe(412)
  })

  it('does not accept what a gate recommended under another threshold or a low confidence', async () => {
    await app.put({ ...gated, gate_rollback_threshold: 1 })
    await app.operator.query(`UPDATE alias SET gate_state = 'promote_ready'`)
    await app.put(gated)
    expect((await app.put({ ...gated, canary_percent: 100 })).status).toBe(412)
    await app.put({ ...gated, gate_confidence: 0.5 })
    await app.operator.query(`UPDATE alias SET gate_state = 'promote_ready'`)
    expect((await app.put({ ...gated, gate_confidence: 0.5, canary_percent: 100 })).status).toBe(412)
  })

  it('accepts a canary whose gate is ready', async () => {
    await app.put(gated)
    await app.operator.query(`UPDATE alias SET gate_state = 'promote_ready'`)
    expect((await app.put({ ...gated, canary_percent: 100 })).body).toMatchObject({ gate_state: 'promoted' })
    expect((await events())[0].evidence).toMatchObject({ kind: 'canary', from: 'sim/large', to: 'sim/small' })
  })

  it('does not accept a gate that is ready while its judge cannot act', async () => {
    app.judge = judgeWith({ cannotActReason: 'its grades do not prove it yet' })
    await app.put(gated)
    await app.operator.query(`UPDATE alias SET gate_state = 'promote_ready'`)
    expect((await app.put({ ...gated, canary_percent: 100 })).status).toBe(412)
  })

  it('accepts force of a person only after a fresh sign-in', async () => {
    await app.put(canary)
    const forced = { ...canary, target_model: 'sim/medium', force: true, reason: 'Outage.' }
    const by = (isFresh: boolean) =>
      app.put(forced, { role: 'owner', session: { id: app.userId, mayGrade: true, isFresh } })
    const stale = await by(false)
    expect([stale.status, stale.body.error.code]).toEqual([403, 'fresh_sign_in_required'])
    expect((await app.send('get', '/v1/aliases/support')).body.version).toBe(1)
    expect((await by(true)).status).toBe(200)
  })

  it('accepts force with a reason of an owner only', async () => {
    await app.put(support)
    const forced = { ...other, force: true, reason: 'Outage.' }
    const admin = await app.put(forced)
    expect([admin.status, admin.body.error.code]).toEqual([403, 'insufficient_permissions'])
    expect((await app.put(forced, { role: 'owner' })).status).toBe(200)
    expect((await events())[0]).toMatchObject({ reason: 'Outage.', evidence: { kind: 'forced' } })
  })

  const exempt = { ...support, require_evidence: false }
  const owner = { role: 'owner' } as const

  it('applies to a change that also loosens it', async () => {
    await app.put(support)
    expect((await app.put({ ...exempt, target_model: 'sim/medium' }, owner)).status).toBe(412)
    expect((await app.put(exempt, owner)).status).toBe(200)
    expect((await app.put({ ...exempt, target_model: 'sim/medium' })).status).toBe(200)
  })

  it('is loosened by an owner only, after a fresh sign-in, and the audit shows what moved without evidence', async () => {
    const asAdmin = await app.put(exempt)
    expect([asAdmin.status, asAdmin.body.error]).toMatchObject([
      403,
      { code: 'insufficient_permissions', param: 'require_evidence' },
    ])
    await app.put(support)
    expect((await app.put(exempt)).status).toBe(403)
    const session = { id: app.userId, mayGrade: true, isFresh: false }
    expect((await app.put(exempt, { ...owner, session })).body.error.code).toBe('fresh_sign_in_required')
    await app.put(exempt, owner)
    expect((await events())[0]).toMatchObject({
      kind: 'update',
      before: { require_evidence: null },
      after: { require_evidence: false },
    })
    await app.put({ ...exempt, target_model: 'sim/medium' })
    const moved = { kind: 'exempt', moves: [{ from: 'sim/large', to: 'sim/medium' }] }
    expect((await events())[0]).toMatchObject({ kind: 'repoint', evidence: moved })
    // Back under the policy is a change for any admin.
    expect((await app.put({ ...other, require_evidence: null })).status).toBe(200)
  })
})

it('lets only an owner take the policy from an alias that has one of its own', async () => {
  await app.put({ ...support, require_evidence: true })
  for (const own of [false, null]) {
    expect((await app.put({ ...support, require_evidence: own })).status).toBe(403)
  }
  expect((await app.put({ ...support, require_evidence: null }, { role: 'owner' })).status).toBe(200)
})

it('lets only an owner exempt an alias while no policy is enforced, since it stays exempt later', async () => {
  const exempt = { ...support, require_evidence: false }
  expect((await app.put(exempt)).body.error).toMatchObject({ param: 'require_evidence' })
  await app.put(support)
  expect((await app.put(exempt)).status).toBe(403)
  expect((await app.put(exempt, { role: 'owner' })).status).toBe(200)
  // An alias that is exempt already may be changed by any admin. Without a policy its moves are nothing special.
  expect((await app.put({ ...exempt, target_model: 'sim/medium' })).status).toBe(200)
  expect((await events())[0]).toMatchObject({ kind: 'repoint', evidence: null })
})

it('requires evidence for a single alias with require_evidence', async () => {
  await app.put({ ...support, require_evidence: true })
  expect((await app.put({ ...support, target_model: 'sim/medium' })).status).toBe(412)
})
