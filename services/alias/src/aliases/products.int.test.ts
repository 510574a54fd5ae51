import { randomUUID } from 'node:crypto'
import type { VersionFacts } from '@ratchet/contracts/internal-versions'
import { publicId } from '@ratchet/contracts/public-id'
import { criterionId, judgeWith } from './alias.fixture.ts'
import { type AliasApp, aliasApp } from './alias-app.fixture.ts'

let app: AliasApp
const made = 'ft:sim/small:acme:judged:aaaaaaaa'
const tuned = 'ft:sim/small:acme:tuned:bbbbbbbb'
const ids: Readonly<Record<string, string>> = { [made]: randomUUID(), [tuned]: randomUUID() }
const support = { name: 'support', target_model: 'sim/large' }
const asCanary = (model: string, percent = 10) => ({ ...support, canary_model: model, canary_percent: percent })
const goodAudit = { graded: 30, false_pass: 1, upper: 0.149 }

beforeAll(async () => {
  app = await aliasApp()
})
afterAll(() => app.drop())
beforeEach(async () => {
  await app.operator.query(
    'TRUNCATE alias, alias_event, model_adoption, model_version, version_edge, webhook_event, webhook_delivery CASCADE',
  )
  await app.operator.query('DELETE FROM workspace_settings')
  app.judge = judgeWith({})
  app.evals = []
  app.checks.clear()
  app.versions = new Map([made, tuned].map((model) => [model, factsOf(model)]))
  for (const [model, id] of Object.entries(ids)) {
    await app.operator.query(
      `INSERT INTO model_version (id, workspace_id, name, base_model, produced_by, rewarded, manifest, sha256, bytes, served_as,
         created_by, created_at) VALUES ($1, $2, $3, 'sim/small', 'import', false, '[]', '', 0, 'sim/quality-0.70', $1, now())`,
      [id, app.workspaceId, model],
    )
  }
})

function factsOf(model: string, changes: Partial<VersionFacts> = {}): VersionFacts {
  return {
    id: publicId('modelVersion', ids[model] ?? ''),
    model,
    status: 'candidate',
    start_model: 'sim/small',
    from_reward: model === made,
    guard: model === made ? 'healthy' : null,
    audit: model === made ? goodAudit : null,
    ...changes,
  }
}

function have(changes: Partial<VersionFacts>) {
  app.versions = new Map([[made, factsOf(made, changes)]])
}

const proof = (more: object = {}, evalId = 'eval_1') => ({
  eval_id: evalId,
  win_rate: 0.6,
  win_rate_ci: [0.52, 0.68],
  savings_pct: null,
  savings_low: null,
  criterion_id: criterionId,
  finished_at: '2026-11-21T00:00:00.000Z',
  evidence: {
    problems: [],
    judge_cannot_act_reason: null,
    attempt: 1,
    level: 0.0125,
    prompt_uses: 0,
    people: null,
    win_rate_low: 0.52,
    win_rate_low_if_fresh: 0.52,
    prompts_needed: null,
    samples_judged: 100,
    sample_count: 100,
    seed: 7,
    ...more,
  },
})

async function missingOf(body: object): Promise<readonly string[]> {
  const answer = await app.put(body)
  expect([answer.status, answer.body.error?.code]).toEqual([412, 'precondition_failed'])
  return answer.body.error.details.missing.map(({ requirement }: { requirement: string }) => requirement)
}

const rowsOf = async (table: string) => (await app.operator.query(`SELECT * FROM ${table} ORDER BY created_at`)).rows
const evidenceOf = async () => (await app.send('get', '/v1/aliases/support/events')).body.data[0].evidence

describe('a product of a reward', () => {
  it.each([
    ['a new alias', async () => undefined, { ...support, target_model: made }],
    ['a canary', () => app.put(support), asCanary(made)],
    ['a prompt family', () => app.put(support), { ...support, family_rules: [{ segment: 'none', model: made }] }],
  ])('needs evidence for %s, whatever the policy is', async (_name, prepare, body) => {
    await prepare()
    expect(await missingOf(body)).toEqual(['eval', 'force'])
    app.evals = [proof()]
    expect((await app.put(body)).status).toBe(200)
    expect(await evidenceOf()).toMatchObject({ kind: 'reward', to: made, eval_id: 'eval_1', guard: 'healthy' })
  })

  it('compares it with the model that it was trained from, when the alias is new', async () => {
    app.evals = [proof()]
    await app.put({ ...support, target_model: made })
    expect(await evidenceOf()).toMatchObject({ from: 'sim/small' })
  })

  it.each([
    ['a judge that is not independent', { isIndependent: false, trainedPrompts: 0 }, {}],
    ['prompts that it was trained on', { isIndependent: true, trainedPrompts: 3 }, {}],
    ['prompts that ten comparisons have used', { isIndependent: true, trainedPrompts: 0 }, { prompt_uses: 10 }],
    ['a lower bound under 0.5', { isIndependent: true, trainedPrompts: 0 }, { win_rate_low: 0.49 }],
  ])('an eval with %s is no evidence', async (_name, check, more) => {
    await app.put(support)
    app.evals = [proof(more)]
    app.checks.set('eval_1', check)
    expect(await missingOf(asCanary(made))).toEqual(['eval', 'force'])
  })

  it('says which eval has prompts that it was trained on or chosen by', async () => {
    await app.put(support)
    app.evals = [proof()]
    app.checks.set('eval_1', { isIndependent: true, trainedPrompts: 3 })
    const { details } = (await app.put(asCanary(made))).body.error
    expect(details.missing[0]).toMatchObject({ detail: expect.stringContaining('eval_1 has 3 prompts') })
    expect(details.missing[0].evals[0]).toMatchObject({ trained_prompts: 3, proves: false })
  })

  it('people who compare its answers are independent of every judge', async () => {
    await app.put(support)
    const people = { problems: [], compared: 100, attempt: 1, level: 0.0125, win_rate: 0.6, win_rate_low: 0.51 }
    app.evals = [proof({ win_rate_low: null, people })]
    app.checks.set('eval_1', { isIndependent: false, trainedPrompts: 0 })
    expect((await app.put(asCanary(made))).status).toBe(200)
  })

  it.each([
    ['guard', { guard: 'diverging' as const }],
    ['guard', { guard: 'regressed' as const }],
    ['audit', { audit: null }],
    ['audit', { audit: { graded: 29, false_pass: 0, upper: 0.1 } }],
    ['audit', { audit: { graded: 30, false_pass: 3, upper: 0.239 } }],
  ])('needs its %s', async (requirement, changes) => {
    await app.put(support)
    app.evals = [proof()]
    have(changes)
    expect(await missingOf(asCanary(made))).toEqual([requirement, 'force'])
  })

  it('names all that is missing at once', async () => {
    await app.put(support)
    have({ guard: 'diverging', audit: null })
    expect(await missingOf(asCanary(made))).toEqual(['eval', 'guard', 'audit', 'force'])
  })

  it('an owner may force it, with a reason in the audit', async () => {
    await app.put(support)
    have({ guard: 'diverging', audit: null })
    const forced = { ...asCanary(made), force: true, reason: 'An incident.' }
    expect((await app.put(forced)).status).toBe(403)
    expect((await app.put(forced, { role: 'owner' })).status).toBe(200)
    expect(await evidenceOf()).toEqual({ kind: 'forced', from: 'sim/large', to: made })
  })

  it('the way back to one that the alias had is always open', async () => {
    await app.put(support)
    app.evals = [proof()]
    await app.put(asCanary(made, 100))
    app.evals = new Error('unavailable')
    expect((await app.send('post', '/v1/aliases/support/rollback')).status).toBe(200)
    app.versions = new Map([[made, factsOf(made, { guard: 'diverging', audit: null })]])
    expect((await app.put(asCanary(made, 50))).status).toBe(200)
    // An alias that never had it is another matter.
    app.evals = []
    await app.put({ name: 'other', target_model: 'sim/large' })
    expect(await missingOf({ ...asCanary(made), name: 'other' })).toContain('eval')
  })

  it('is not adopted while the training service is unavailable, and other changes are made', async () => {
    await app.put(support)
    const { versions } = app
    app.versions = new Error('unavailable')
    expect((await app.put({ ...support, target_model: 'sim/medium' })).status).toBe(200)
    app.versions = versions
  })
})

describe('a version that no reward made', () => {
  it('needs nothing without a policy, and an eval on other prompts with one', async () => {
    await app.put(support)
    expect((await app.put({ ...support, target_model: tuned })).status).toBe(200)
    const text = `INSERT INTO workspace_settings (workspace_id, evidence_policy) VALUES ($1, 'enforce')`
    await app.operator.query(text, [app.workspaceId])
    await app.put({ name: 'strict', target_model: 'sim/large' })
    const strict = { name: 'strict', target_model: tuned }
    app.evals = [proof()]
    app.checks.set('eval_1', { isIndependent: true, trainedPrompts: 1 })
    const refused = await app.put(strict)
    expect(refused.body.error.details.missing[0].evals[0]).toMatchObject({ problems: ['trained_prompts'] })
    app.checks.clear()
    expect((await app.put(strict)).status).toBe(200)
  })

  it('that was rejected is refused', async () => {
    app.versions = new Map([[tuned, factsOf(tuned, { status: 'rejected' })]])
    await app.put(support)
    expect((await app.put(asCanary(tuned))).body.error.code).toBe('conflict')
  })

  it('is noted when an alias begins to route to it, with one event for webhooks', async () => {
    await app.put(support)
    await app.put(asCanary(tuned, 0))
    expect(await rowsOf('model_adoption')).toEqual([])
    await app.put(asCanary(tuned, 10))
    await app.put(asCanary(tuned, 50))
    const [adoption, ...others] = await rowsOf('model_adoption')
    expect(others).toEqual([])
    expect(adoption).toMatchObject({
      model: tuned,
      alias_name: 'support',
      arm: 'canary',
      percent: 10,
      user_id: app.userId,
    })
    const [event, ...more] = (await rowsOf('webhook_event')).filter(({ type }) => type === 'model_version.adopted')
    expect(more).toEqual([])
    expect(JSON.parse(event.body)).toMatchObject({
      type: 'model_version.adopted',
      data: { id: publicId('modelVersion', ids[tuned] ?? ''), model_id: tuned, alias: 'support', arm: 'canary' },
    })
    await app.send('post', '/v1/aliases/support/rollback')
    await app.put(asCanary(tuned, 100))
    expect(await rowsOf('model_adoption')).toHaveLength(2)
  })

  it('is noted again when it gets all requests, without another event', async () => {
    await app.put(support)
    await app.put(asCanary(tuned, 50))
    await app.put(asCanary(tuned, 100))
    const noted = (await rowsOf('model_adoption')).map(({ percent, promoted }) => [percent, promoted])
    expect(noted.toSorted()).toEqual([
      [100, true],
      [50, false],
    ])
    const events = await rowsOf('webhook_event')
    expect(events.filter(({ type }) => type === 'model_version.adopted')).toHaveLength(1)
  })
})
