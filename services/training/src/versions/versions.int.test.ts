import { createHash, randomUUID } from 'node:crypto'
import type { Dataset } from '@ratchet/contracts/datasets'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { writeSafetensors } from '../trainers/sim/write-safetensors.ts'
import { aliasWith, type VersionApp, versionApp } from './version-app.fixture.ts'

let app: VersionApp
let jobId: string
let versionIds: readonly string[]

beforeAll(async () => {
  app = await versionApp()
  ;({ jobId, versionIds } = await app.train())
})
afterAll(() => app?.drop())
beforeEach(async () => {
  app.alias = null
  app.refusal = null
  app.puts.splice(0)
  app.evals.splice(0)
  app.rewards.clear()
  await app.run.operator.query('TRUNCATE alias, model_adoption CASCADE')
  await app.run.operator.query(
    'UPDATE model_version SET rejected_at = NULL, reject_reason = NULL, archived_at = NULL, rewarded = false',
  )
})

const path = (index = 0, rest = '') => `/v1/model_versions/${versionIds[index]}${rest}`
const read = async (index = 0) => (await app.send('get', path(index))).body

/** Writes an alias as the alias service does. */
async function aliasTo(target: string, canary: string | null = null, percent = 0) {
  await app.run.operator.query(
    `INSERT INTO alias (id, workspace_id, name, target_model, canary_model, canary_percent, epoch_started_at, created_by,
       created_at, updated_at, updated_by)
     VALUES (gen_random_uuid(), $1, 'support', $2, $3, $4, now(), $1, now(), now(), 'x')
     ON CONFLICT (workspace_id, name) DO UPDATE SET target_model = $2, canary_model = $3, canary_percent = $4`,
    [app.workspaceId, target, canary, percent],
  )
}

const noteAdoption = (model: string) =>
  app.run.operator.query(
    `INSERT INTO model_adoption VALUES (gen_random_uuid(), $2, $1, 'support', 'canary', 10, $1, now())`,
    [app.workspaceId, model],
  )

describe('versions of a job', () => {
  it('are listed, newest first, with filters', async () => {
    const { body } = await app.send('get', '/v1/model_versions')
    expect(body).toMatchObject({ object: 'list', total: versionIds.length, has_more: false })
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(versionIds)
    expect(body.data[0]).toMatchObject({
      object: 'model_version',
      model_id: expect.stringMatching(/^ft:sim\/base:w[0-9a-f]{8}::[a-z2-7]{8}$/),
      name: null,
      base_model: 'sim/base',
      produced_by: { type: 'fine_tuning', id: `ftjob-${jobId.replaceAll('-', '')}` },
      status: 'candidate',
      serving: { pool: 'none', pool_error: null, provider: expect.stringMatching(/^sim\/quality-/) },
      adapter: { rank: 8 },
    })
    const totalOf = async (query: string) => (await app.send('get', `/v1/model_versions?${query}`)).body.total
    expect(await totalOf('status=candidate&base_model=sim/base&produced_by=fine_tuning')).toBe(versionIds.length)
    for (const query of ['status=adopted', 'base_model=sim/other', 'produced_by=grpo'])
      expect(await totalOf(query)).toBe(0)
    expect((await app.send('get', '/v1/model_versions?limit=1')).body.has_more).toBe(true)
    expect((await app.send('get', '/v1/model_versions?colour=red')).body.error.code).toBe('unknown_parameter')
  })

  it('are nothing to another workspace', async () => {
    const [other, absent] = [randomUUID(), `mv_${'0'.repeat(32)}`]
    expect((await app.send('get', '/v1/model_versions', undefined, other)).body.total).toBe(0)
    const own = await app.send('get', path(), undefined, other)
    const none = await app.send('get', `/v1/model_versions/${absent}`, undefined, other)
    expect([own.status, own.text]).toEqual([404, none.text])
  })

  it('become adopted, superseded and adopted again as aliases route', async () => {
    const { model_id: name } = await read()
    await aliasTo('sim/large', name, 10)
    await noteAdoption(name)
    expect(await read()).toMatchObject({
      status: 'adopted',
      aliases: [{ name: 'support', arm: 'canary', percent: 10 }],
      adopted_at: expect.any(String),
      adopted_by: app.workspaceId,
    })
    await aliasTo('sim/large', name, 0)
    expect(await read()).toMatchObject({ status: 'superseded', aliases: [] })
    await aliasTo(name)
    expect(await read()).toMatchObject({ status: 'adopted', aliases: [{ arm: 'target', percent: 100 }] })
    expect((await read(1)).status).toBe('candidate')
  })

  it('show their evals, and what these prove', async () => {
    const { model_id: name } = await read()
    const figures = { win_rate: 0.6, win_rate_ci: [0.51, 0.68] }
    app.evals.push({
      id: 'eval_1',
      baseline_model: 'sim/large',
      criterion_id: 'crit_1',
      judge_model: 'openai/gpt-5',
      judge_models: [],
      report: { candidates: { [name]: figures } },
      evidence: { [name]: { prompt_uses: 2 } },
    } as never)
    expect(await read()).toMatchObject({
      warnings: [],
      eval_ids: ['eval_1'],
      evidence: {
        eval_id: 'eval_1',
        baseline_model: 'sim/large',
        ...figures,
        proof_uses: 2,
        independent: true,
        audit: null,
      },
    })
  })
})

describe('the facts for the alias service', () => {
  const facts = async (name: string) => {
    const query = `/internal/training/version-facts?model=${encodeURIComponent(name)}`
    return (await app.send('get', query)).body.version
  }
  const check = async (name: string) => {
    const query = `/internal/training/checked-evals?model=${encodeURIComponent(name)}&eval_ids=eval_1,eval_2`
    return (await app.send('get', query)).body.data
  }

  it('say what guard and people found, and which evals are independent', async () => {
    const { model_id: name } = await read()
    expect(await facts('ft:sim/base:other::aaaaaaaa')).toBeNull()
    expect(await facts(name)).toMatchObject({
      id: versionIds[0],
      start_model: 'sim/base',
      from_reward: false,
      audit: null,
    })
    const judged = { id: 'eval_1', criterion_id: 'crit_other', judge_model: 'openai/gpt-5', judge_models: [] }
    app.evals.push(judged as never)
    expect(await check(name)).toEqual([{ eval_id: 'eval_1', trained_prompts: 0, independent: true }])
    await app.run.operator.query("UPDATE model_version SET rewarded = true, produced_by = 'grpo'")
    expect((await check(name))[0].independent).toBe(false)
    const audit = { graded: 30, false_pass: 0, upper: 0.095 }
    const reward = { criterionIds: ['crit_1'], judgeModels: ['anthropic/claude-x'], guard: 'healthy' as const, audit }
    app.rewards.set('grpo', { factsOf: async () => reward, traceOf: async () => null })
    expect(await facts(name)).toMatchObject({ from_reward: true, guard: 'healthy', audit })
    expect((await check(name))[0].independent).toBe(true)
    app.evals.splice(0, 1, { ...judged, criterion_id: 'crit_1' } as never)
    expect((await check(name))[0].independent).toBe(false)
    app.evals.splice(0, 1, { ...judged, judge_model: 'bedrock/claude-y' } as never)
    expect((await check(name))[0].independent).toBe(false)
    await app.run.operator.query("UPDATE model_version SET produced_by = 'fine_tuning'")
  })

  it('count prompts that were trained on', async () => {
    const { model_id: name } = await read()
    const root = createHash('sha256').update('a conversation').digest()
    await app.run.operator.query('INSERT INTO training_roots VALUES ($1, $2, $3)', [
      jobId,
      app.workspaceId,
      root.subarray(0, 8),
    ])
    app.evals.push({ id: 'eval_1', criterion_id: null, judge_model: 'x/y', judge_models: [] } as never)
    app.evalRoots = [root.toString('base64'), createHash('sha256').update('another').digest('base64')]
    expect(await check(name)).toEqual([{ eval_id: 'eval_1', trained_prompts: 1, independent: true }])
  })
})

describe('adoption', () => {
  it('asks the alias service to make it the canary, and keeps the other settings', async () => {
    const { model_id: name } = await read()
    app.alias = aliasWith({ version: 4 })
    const { status, body } = await app.send('post', path(0, '/adopt'), { aliasName: 'support' })
    expect(status).toBe(200)
    expect(app.puts).toEqual([
      expect.objectContaining({
        target_model: 'sim/large',
        canary_model: name,
        canary_percent: 10,
        description: 'Answers customers.',
        sticky_by: 'trace',
        force: false,
        if_match: 4,
      }),
    ])
    expect(body).toMatchObject({ model_version: { id: versionIds[0] }, alias: { canary_model: name } })
  })

  it('takes either spelling, a gate and a reason', async () => {
    app.alias = aliasWith({ canary_model: 'sim/small', canary_percent: 100 })
    const sent = {
      alias_name: 'support',
      canary_percent: 50,
      gate_criterion_id: 'crit_1',
      gateMode: 'auto',
      reason: 'Better',
    }
    expect((await app.send('post', path(0, '/adopt'), sent)).status).toBe(200)
    // The present canary has all requests, so it is what the version is compared with.
    expect(app.puts[0]).toMatchObject({
      target_model: 'sim/small',
      canary_percent: 50,
      gate_mode: 'auto',
      reason: 'Better',
    })
  })

  it('gives a new alias all requests, and gives them back to a target', async () => {
    const { model_id: name } = await read()
    expect((await app.send('post', path(0, '/adopt'), { aliasName: 'support' })).status).toBe(200)
    expect(app.puts[0]).toMatchObject({ target_model: name, if_match: null })
    const split = await app.send('post', path(0, '/adopt'), { aliasName: 'support', canaryPercent: 10 })
    expect(split.body.error).toMatchObject({ code: 'invalid_request', param: 'canaryPercent' })
    app.alias = aliasWith({ target_model: name, canary_model: 'sim/small', canary_percent: 100 })
    await app.send('post', path(0, '/adopt'), { aliasName: 'support', canaryPercent: 100 })
    expect(app.puts[1]).toMatchObject({ target_model: name, canary_model: 'sim/small', canary_percent: 0 })
  })

  it.each([
    ['force without a reason', { force: true }, 'invalid_request', 'reason'],
    ['an unknown key', { colour: 'red' }, 'unknown_parameter', 'colour'],
    ['a share above 100', { canary_percent: 101 }, 'invalid_request', 'canary_percent'],
    ['a stale version of the alias', { ifMatch: 3 }, 'version_conflict', 'ifMatch'],
  ])('refuses %s', async (_name, body, code, param) => {
    app.alias = aliasWith({})
    const answer = await app.send('post', path(0, '/adopt'), { aliasName: 'support', ...body })
    expect(answer.body.error).toMatchObject({ code, param })
    expect(app.puts).toEqual([])
  })

  it('refuses two spellings of a field flatly', async () => {
    const answer = await app.send('post', path(0, '/adopt'), { aliasName: 'support', alias_name: 'sales' })
    expect([answer.status, answer.body]).toEqual([400, { error: expect.stringContaining('`alias_name`') }])
  })

  it('passes on what the alias service misses, naming the fields of this request', async () => {
    app.alias = aliasWith({})
    const missing = [{ requirement: 'eval' }]
    app.refusal = new ServiceError('precondition_failed', 'No evidence.', { details: { missing } })
    const refused = await app.send('post', path(0, '/adopt'), { aliasName: 'support' })
    expect([refused.status, refused.body.error.details]).toEqual([412, { missing }])
    app.refusal = new ServiceError('not_found', 'No criterion has this id.', { param: 'gate_criterion_id' })
    const gate = await app.send('post', path(0, '/adopt'), { aliasName: 'support', gateCriterionId: 'crit_0' })
    expect(gate.body.error.param).toBe('gateCriterionId')
    app.refusal = new ServiceError('invalid_request', '`gate_criterion_id` is required with `gate_mode`.', {
      param: 'gate_criterion_id',
    })
    const camel = await app.send('post', path(0, '/adopt'), { aliasName: 'support', gateMode: 'auto' })
    expect(camel.body.error.message).toBe('`gateCriterionId` is required with `gateMode`.')
    app.refusal = new ServiceError('invalid_request', '`name` is too short.', { param: 'name' })
    const snake = await app.send('post', path(0, '/adopt'), { alias_name: 'support' })
    expect(snake.body.error).toMatchObject({ message: '`alias_name` is too short.', param: 'alias_name' })
    app.refusal = new ServiceError('unknown_model', 'There is no model.', { param: 'canary_model' })
    const gone = await app.send('post', path(0, '/adopt'), { aliasName: 'support' })
    expect([gone.status, gone.body.error.code]).toEqual([400, 'version_not_in_catalog'])
  })

  it('of a version that was rejected is a conflict', async () => {
    expect((await app.send('post', path(0, '/reject'), { reason: 'Too wordy.' })).body).toMatchObject({
      status: 'rejected',
      status_reason: 'Too wordy.',
    })
    expect((await app.send('post', path(0, '/adopt'), { aliasName: 'support' })).body.error.code).toBe('conflict')
    expect((await app.send('post', path(0, '/reject'), { reason: 'Again.' })).body.error.code).toBe('conflict')
    const { rows } = await app.run.operator.query("SELECT * FROM training_notice WHERE type = 'model_version.rejected'")
    expect(rows).toHaveLength(1)
    expect(JSON.parse(rows[0].data)).toEqual({ object: 'model_version', id: versionIds[0], status: 'rejected' })
  })
})

describe('an archived version', () => {
  it('has no route any more, also by the name that clients of OpenAI delete', async () => {
    const { model_id: name } = await read()
    const routes = async () =>
      (await app.run.operator.query('SELECT name FROM version_route')).rows.map((row) => row.name)
    expect(await routes()).toContain(name)
    expect((await app.send('post', path(0, '/archive'))).body).toMatchObject({
      status: 'archived',
      serving: { pool: 'none', pool_error: null, provider: null },
    })
    expect(await routes()).not.toContain(name)
    const other = (await read(1)).model_id
    const deleted = await app.send('delete', `/v1/models/${encodeURIComponent(other)}`)
    expect([deleted.status, deleted.body]).toEqual([200, { id: other, object: 'model', deleted: true }])
    for (const gone of [other, 'sim/large']) {
      const again = await app.send('delete', `/v1/models/${encodeURIComponent(gone)}`)
      expect([again.status, again.body.error.code]).toEqual([404, 'model_not_found'])
    }
  })

  it('is refused while an alias names it, even without requests', async () => {
    const { model_id: name } = await read()
    await aliasTo('sim/large', name, 0)
    const { status, body } = await app.send('post', path(0, '/archive'))
    expect([status, body.error.code, body.error.details.aliases]).toEqual([409, 'version_in_use', ['support']])
    await aliasTo(name)
    expect((await app.send('post', path(0, '/reject'), { reason: 'No' })).body.error.code).toBe('version_in_use')
  })
})

it('the lineage goes from the log to the adoption', async () => {
  const { model_id: name, dataset_id: datasetId } = await read()
  const dataset = {
    name: 'Talks',
    kind: 'train',
    source: 'logs',
    sha256: 'ab',
    example_count: 3,
    filters: { tag: 'x' },
  }
  app.datasets.set(datasetId, dataset as unknown as Dataset)
  app.evals.push({ id: 'eval_1', name: 'E', status: 'DONE', baseline_model: 'sim/large', report: null } as never)
  await noteAdoption(name)
  const { body } = await app.send('get', path(0, '/lineage'))
  const typeOf = new Map(body.nodes.map(({ id, type }: { id: string; type: string }) => [id, type]))
  const steps = body.edges.map(
    ({ from, to }: { from: string; to: string }) => `${typeOf.get(from)} > ${typeOf.get(to)}`,
  )
  expect(new Set(steps)).toEqual(
    new Set([
      'log_filters > dataset',
      'dataset > job',
      'job > checkpoint',
      'checkpoint > version',
      'version > eval',
      'version > adoption',
    ]),
  )
  app.datasets.clear()
  const without = (await app.send('get', path(0, '/lineage'))).body.nodes
  expect(without.find(({ id }: { id: string }) => id === datasetId).details).toEqual({ deleted: true })
})

describe('files', () => {
  it('are downloaded with the hashes that the version has, and a card', async () => {
    const { files, model_id: name } = await read()
    const weights = await app.send('get', path(0, '/download'))
    const [adapter] = files.filter((file: { name: string }) => file.name === 'adapter_model.safetensors')
    expect(createHash('sha256').update(weights.body).digest('hex')).toBe(adapter.sha256)
    expect(files.map((file: { name: string }) => file.name)).not.toContain('trainer_state.json')
    const card = await app.send('get', path(0, '/download?file=README.md'))
    expect(card.text).toContain(name)
    expect((await app.send('get', path(0, '/download?file=trainer_state.json'))).status).toBe(404)
  })

  const values = new Float32Array(8 * 4)
  const adapter = writeSafetensors([
    { name: 'base_model.model.layers.0.q_proj.lora_A.weight', shape: [8, 4], values },
    { name: 'base_model.model.layers.0.q_proj.lora_B.weight', shape: [4, 8], values },
  ])
  const config = { peft_type: 'LORA', r: 8, base_model_name_or_path: 'sim/small' }
  const fields = { baseModel: 'sim/small', name: 'mine', adapterConfig: JSON.stringify(config) }

  it('are imported as a candidate that nothing serves yet', async () => {
    // As PEFT writes them.
    const written = { ...config, auto_mapping: null, megatron_config: null, megatron_core: 'megatron.core' }
    const { status, body } = await app.upload({ ...fields, adapterConfig: JSON.stringify(written) }, adapter)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      name: 'mine',
      produced_by: { type: 'import', id: null },
      status: 'candidate',
      adapter: { rank: 8 },
      serving: { pool: 'none', pool_error: null, provider: null },
    })
    const refused = await app.send('post', `/v1/model_versions/${body.id}/adopt`, { aliasName: 'support' })
    expect([refused.status, refused.body.error.code]).toEqual([400, 'version_not_in_catalog'])
    const weights = await app.send('get', `/v1/model_versions/${body.id}/download`)
    expect(weights.body.equals(adapter)).toBe(true)
  })

  it.each([
    ['another base', { adapterConfig: JSON.stringify({ ...config, base_model_name_or_path: 'other' }) }, adapter],
    ['a rank that the base does not have', { adapterConfig: JSON.stringify({ ...config, r: 64 }) }, adapter],
    ['another rank than its settings', { adapterConfig: JSON.stringify({ ...config, r: 16 }) }, adapter],
    ['settings that are no JSON', { adapterConfig: 'r: 8' }, adapter],
    [
      'Python modules by name',
      { adapterConfig: JSON.stringify({ ...config, auto_mapping: { parent_library: 'os' } }) },
      adapter,
    ],
    ['a core of Megatron', { adapterConfig: JSON.stringify({ ...config, megatron_config: { a: 1 } }) }, adapter],
    ['a pickle', {}, Buffer.from('\x80\x04}q\x00.')],
  ])('are refused for %s', async (_name, changes, file) => {
    const answer = await app.upload({ ...fields, ...changes }, file)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'incompatible_adapter'])
  })

  it('are refused for a base that cannot be trained here, and without a form', async () => {
    expect((await app.upload({ ...fields, baseModel: 'sim/none' }, adapter)).body.error.code).toBe(
      'model_not_trainable',
    )
    expect((await app.send('post', '/v1/model_versions/import', {})).status).toBe(415)
  })
})
