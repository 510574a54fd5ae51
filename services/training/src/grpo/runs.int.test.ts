import { randomUUID } from 'node:crypto'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { masterKeys } from '@ratchet/judge-kit/checks/master-keys'
import { emptyStorage, fillStorage } from '../artifacts/fill-storage.fixture.ts'
import { linesOf, manyExamples } from '../data/examples.fixture.ts'
import {
  bodyOf,
  criterion,
  type GrpoRunApp,
  grpoRunApp,
  judge,
  otherId,
  refusal,
  rewardId,
  runsJudgeId,
} from './grpo.fixture.ts'

let app: GrpoRunApp

beforeAll(async () => {
  app = await grpoRunApp()
})

afterAll(() => app.drop())

afterEach(() => {
  app.judging.judges.set(rewardId, judge(rewardId))
  app.judging.fooledBy.clear()
  app.judging.refuse = null
})

const post = (more: object = {}, headers = {}, path = '/v1/grpo/runs') =>
  app.send('post', path, { ...bodyOf(app.datasetId), ...more }, headers)

/** A hundred copies of a job. */
const copyStatement = `
  INSERT INTO training_job SELECT (jsonb_populate_record(j, jsonb_build_object('id', gen_random_uuid()))).*
  FROM training_job j, generate_series(1, 100) WHERE j.id = $1 RETURNING id`

const cancelStatement = "UPDATE training_job SET status = 'cancelled', finished_at = now() WHERE id = ANY($1)"

describe('a new run', () => {
  it('has its settings, its judges and a hold of what its training may cost', async () => {
    const { status, body } = await post()
    expect(status).toBe(202)
    expect(body).toMatchObject({
      object: 'grpo.run',
      status: 'queued',
      base_model: 'sim/small',
      prompts: { train: 360, guard: 20, proof: 20 },
      reward: { criteria: [{ criterion_id: criterion(rewardId), weight: 1, required: false }], functions: [] },
      holdout: { criterion_id: criterion(otherId), judge_model: null, every_steps: 4, margin: 0.05, action: 'pause' },
      judges_at_start: [
        { criterion_id: criterion(rewardId), role: 'reward', trust: 'trustworthy', instrument: 1 },
        { criterion_id: criterion(otherId), role: 'holdout' },
      ],
      guard: { verdict: 'collecting', looks: 0, last_step: null },
      max_cost_usd: 5,
      cost_usd: 0,
      // Its judge was asked about every answer that says nothing.
      judge_cost_usd: masterKeys.length / 1e6,
    })
    expect(body.held_usd).toBeGreaterThan(0)
    expect(body.held_usd).toBeLessThan(5)
    expect((await app.read(body.id)).id).toBe(body.id)
    const { body: list } = await app.send('get', '/v1/grpo/runs?status=queued')
    expect(list).toMatchObject({ candidates_waiting: 0, queued: list.total, offset: 0, has_more: false })
    expect(list.runs[0].id).toBe(body.id)
  })

  it('is created once for an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': randomUUID() }
    const [first, again, other] = [
      await post({}, headers),
      await post({}, headers),
      await post({ name: 'Other' }, headers),
    ]
    expect(again.body.id).toBe(first.body.id)
    expect(again.headers['idempotent-replay']).toBe('true')
    expect(other.body.error.code).toBe('idempotency_conflict')
  })

  it('may be written in snake_case', async () => {
    const { baseModel, datasetId, maxCostUsd, hyperparameters: _, ...rest } = bodyOf(app.datasetId)
    const body = {
      ...rest,
      base_model: baseModel,
      dataset_id: datasetId,
      max_cost_usd: maxCostUsd,
      hyperparameters: { lora_rank: 8 },
    }
    expect((await app.send('post', '/v1/grpo/runs', body)).status).toBe(202)
  })

  it('is refused beside a hundred jobs and runs that have not ended, before a judge is asked', async () => {
    const { id } = (await post()).body
    const jobs = await app.pool.query<{ id: string }>(copyStatement, [uuidOf('grpoRun', id)])
    app.judging.refuse = refusal(402, 'insufficient_balance')
    expect(await post()).toMatchObject({ status: 403, body: { error: { code: 'quota_exceeded' } } })
    await app.pool.query(cancelStatement, [jobs.rows.map((job) => job.id)])
    app.judging.refuse = null
    expect((await post()).status).toBe(202)
  })

  it('copies no prompts beyond the storage quota', async () => {
    await fillStorage(app.operator, app.workspaceId, 10_000)
    const released: string[] = []
    const { release } = app.money
    app.money.release = async (hold) => {
      released.push(hold.jobId)
      return release(hold)
    }
    const refused = await post({}, { 'idempotency-key': randomUUID() })
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'quota_exceeded' } } })
    expect(released).toHaveLength(1)
    app.money.release = release
    await emptyStorage(app.operator, app.workspaceId)
    expect((await post()).status).toBe(202)
  })

  it('is refused before a judge is asked when the wallet does not cover its maximum', async () => {
    app.judging.walletNano = 4_999_999_999n
    const asked = app.judging.keys.length
    const { status, body } = await post()
    expect([status, body.error.code, body.error.param]).toEqual([402, 'insufficient_balance', 'maxCostUsd'])
    expect(app.judging.keys).toHaveLength(asked)
    app.judging.walletNano = 5_000_000_000n
    expect((await post()).status).toBe(202)
  })

  it('is refused without money, and holds nothing then', async () => {
    const headers = { 'idempotency-key': 'no-money' }
    app.judging.refuse = refusal(402, 'insufficient_balance')
    expect((await post({}, headers)).body.error.code).toBe('insufficient_balance')
  })
})

describe('flat refusals', () => {
  it.each([
    ['no base model', { baseModel: null }],
    ['both a base model and a version', { warmStartFrom: 'ft:sim/small:demo::aaaaaaaa' }],
    ['a reward without a source', { reward: {} }],
    ['both spellings with different values', { base_model: 'sim/large' }],
  ])('%s', async (_, more) => {
    for (const path of ['/v1/grpo/runs', '/v1/grpo/runs/estimate']) {
      const { status, body } = await post(more, {}, path)
      expect([status, body]).toEqual([400, { error: expect.any(String) }])
    }
  })
})

describe('refusals', () => {
  const term = { criterionId: criterion(rewardId) }
  const few = randomUUID()

  it.each([
    ['an unknown model', { baseModel: 'sim/large' }, 'model_not_trainable', 'baseModel'],
    ['an unknown version', { baseModel: null, warmStartFrom: 'ft:none' }, 'not_found', 'warmStartFrom'],
    [
      'an eval without a judge',
      { afterTraining: { evalBaselineModel: 'sim/small' } },
      'invalid_request',
      'afterTraining',
    ],
    ['an unknown key', { environmentt: {} }, 'unknown_parameter', 'environmentt'],
    ['an unknown dataset', { datasetId: 'ds_none' }, 'invalid_training_data', 'datasetId'],
    [
      'an unknown judge',
      { reward: { criteria: [{ criterionId: criterion(randomUUID()) }] } },
      'not_found',
      'reward.criteria.0.criterionId',
    ],
    [
      'a judge of runs',
      { reward: { criteria: [{ criterionId: criterion(runsJudgeId) }] } },
      'unsupported_unit',
      'reward.criteria.0.criterionId',
    ],
    [
      'a step that fits into no memory',
      { hyperparameters: { promptsPerStep: 512, groupSize: 64, maxOutputTokens: 129 } },
      'invalid_request',
      'hyperparameters.promptsPerStep',
    ],
    [
      'an unknown judge of the eval',
      { afterTraining: { evalBaselineModel: 'sim/small', criterionId: criterion(randomUUID()) } },
      'not_found',
      'afterTraining.criterionId',
    ],
    ['a judge twice', { reward: { criteria: [term, term] } }, 'invalid_request', 'reward.criteria.1.criterionId'],
    [
      'a pattern',
      { reward: { functions: [{ type: 'regex', pattern: '(' }] } },
      'invalid_request',
      'reward.functions.0.pattern',
    ],
    [
      'a schema',
      { reward: { functions: [{ type: 'json_schema', schema: { type: 'none' } }] } },
      'invalid_request',
      'reward.functions.0.schema',
    ],
    [
      'a hold-out judge of the reward',
      { holdout: { criterionId: criterion(rewardId) } },
      'invalid_request',
      'holdout.criterionId',
    ],
    [
      'a hold-out model of the same family',
      { holdout: { judgeModel: 'sim/large' } },
      'invalid_request',
      'holdout.judgeModel',
    ],
    ['a rank', { hyperparameters: { loraRank: 64 } }, 'invalid_request', 'hyperparameters.loraRank'],
  ])('%s', async (_, more, code, param) => {
    const { body } = await post(more)
    expect(body.error).toMatchObject({ code, param })
  })

  it('too few prompts', async () => {
    app.addData(few, linesOf(...manyExamples(40)))
    const { body } = await post({ datasetId: publicId('dataset', few) })
    expect(body.error).toMatchObject({ code: 'invalid_training_data', details: { train: 36, held_out: 4 } })
  })

  it('a judge that is not proven, with the grades that it needs', async () => {
    const unproven = { canAct: false, trust: 'under-measured', failGradesNeeded: 12, passGradesNeeded: 3 } as const
    app.judging.judges.set(rewardId, judge(rewardId, unproven))
    const { status, body } = await post()
    expect([status, body.error.code]).toEqual([412, 'criterion_not_trustworthy'])
    expect(body.error.details).toEqual({
      criterion_id: criterion(rewardId),
      trust: 'under-measured',
      fail_grades_needed: 12,
      pass_grades_needed: 3,
    })
  })

  it('a judge that passes an answer that says nothing', async () => {
    app.judging.fooledBy.add('Solution:')
    const { status, body } = await post()
    expect([status, body.error.code]).toEqual([412, 'criterion_not_trustworthy'])
    expect(body.error.details).toMatchObject({ passed_answer: 'Solution:' })
  })
})

it('estimates the parts of the cost, and holds nothing', async () => {
  const { status, body } = await post({}, {}, '/v1/grpo/runs/estimate')
  expect(status).toBe(200)
  const { sampling_usd, training_usd, judging_usd, guard_usd, total_usd } = body
  expect(total_usd).toBeCloseTo(sampling_usd + training_usd + judging_usd + guard_usd, 5)
  expect(body).toMatchObject({ object: 'grpo.estimate', looks: 4, prompts: { train: 360 } })
})

it('warns of what makes a run less safe', async () => {
  const { body } = await post(
    { holdout: {}, hyperparameters: { klBeta: 0, topP: 0.9, loraRank: 8 } },
    {},
    '/v1/grpo/runs/estimate',
  )
  expect(body.warnings.join(' ')).toMatch(/No judge is held out.*topP.*klBeta/)
})

it.each([
  ['has few prompts in its looks', {}, 20],
  ['audits few answers', { humanAudit: { sample: 10 } }, 10],
])('warns when a run %s, so that its version could not be adopted', async (_, more, answers) => {
  const { body } = await post(more, {}, '/v1/grpo/runs/estimate')
  expect(body.warnings.join(' ')).toContain(`An audit has ${answers} answers`)
})

describe('a dataset of prompts', () => {
  const prompts = () => {
    const uuid = randomUUID()
    const line = (each: string) => JSON.stringify({ messages: JSON.parse(each).messages.slice(0, -1) })
    app.addData(uuid, linesOf(...manyExamples(400).map(line)))
    return publicId('dataset', uuid)
  }

  it('is trained on', async () => {
    const { status, body } = await post({ datasetId: prompts() })
    expect([status, body.prompts.train]).toEqual([202, 360])
  })

  it('is refused when the reward compares answers with replies', async () => {
    const reward = { functions: [{ type: 'numeric_close' }] }
    const { body } = await post({ datasetId: prompts(), reward })
    expect(body.error).toMatchObject({ code: 'invalid_training_data', param: 'datasetId' })
    expect(body.error.message).toContain('`numeric_close`')
  })
})

describe('trying a reward', () => {
  const messages = [{ role: 'user', content: 'Why?' }]
  const sample = (content: string, question = messages) => ({
    messages: question,
    completion: [{ role: 'assistant', content }],
  })
  const body = {
    reward: {
      criteria: [{ criterionId: criterion(rewardId), weight: 3 }],
      functions: [{ type: 'contains', values: ['Because'] }],
    },
    samples: [
      sample('Because it is so (1).'),
      sample('(flawed) Because not (2).'),
      sample('It is so (3).'),
      sample('(flawed) No, no (4).'),
    ],
  }

  it('rewards each sample, and says how much the samples of a prompt differ', async () => {
    const { status, body: tested } = await app.send('post', '/v1/grpo/rewards/test', body)
    expect(status).toBe(200)
    expect(tested.samples.map((each: { reward: number }) => each.reward)).toEqual([
      1,
      expect.closeTo(0.2308, 3),
      expect.closeTo(0.7692, 3),
      0,
    ])
    expect(tested).toMatchObject({ groups: [{ samples: [0, 1, 2, 3] }], zero_variance_share: 0, cost_usd: 0.000004 })
  })

  it('asks each judge with the same key again', async () => {
    const headers = { 'idempotency-key': 'same' }
    app.judging.keys.length = 0
    for (const _ of [1, 2]) await app.send('post', '/v1/grpo/rewards/test', body, headers)
    expect(new Set(app.judging.keys).size).toBe(app.judging.keys.length / 2)
  })

  it('asks a model for answers to prompts of a dataset, and shows them', async () => {
    const asks = { reward: body.reward, datasetId: app.datasetId, model: 'sim/small', n: 3, samplesPerPrompt: 2 }
    const headers = { 'idempotency-key': 'asked' }
    const { status, body: tested } = await app.send('post', '/v1/grpo/rewards/test', asks, headers)
    expect([status, tested.samples.length, app.judging.asked.length]).toEqual([200, 6, 6])
    expect(tested.samples.map((each: { reward: number }) => each.reward)).toEqual([
      ...[0.7692, 0, 0.7692, 0, 0.7692, 0].map((reward) => expect.closeTo(reward, 3)),
    ])
    expect(tested.samples[1]).toMatchObject({
      messages: [{ role: 'user', content: expect.any(String) }],
      completion: [{ role: 'assistant', content: '(flawed) It is so (1).' }],
      truncated: false,
    })
    expect(tested.groups.map((each: { samples: number[] }) => each.samples)).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ])
    expect(tested).toMatchObject({ zero_variance_share: 0, cost_usd: 0.000012, sampling_cost_usd: 0.000006 })
    const again = await app.send('post', '/v1/grpo/rewards/test', asks, headers)
    expect(again.body).toEqual(tested)
  })

  it.each([
    ['samples', { datasetId: 'ds', model: 'sim/small' }],
    ['samples', { samples: null }],
    ['model', { samples: null, datasetId: 'ds' }],
    ['n', { samples: null, datasetId: 'ds', model: 'sim/small', n: 20, samplesPerPrompt: 3 }],
    ['datasetId', { samples: null, datasetId: 'ds_x', model: 'sim/small' }],
  ])('names %s when its answers come from both sides, from none, or are too many', async (param, more) => {
    const { body: refused } = await app.send('post', '/v1/grpo/rewards/test', { ...body, ...more })
    expect(refused.error).toMatchObject({ param })
  })

  it('refuses a completion without an answer', async () => {
    const { body: refused } = await app.send('post', '/v1/grpo/rewards/test', {
      ...body,
      samples: [{ messages, completion: messages }],
    })
    expect(refused.error).toMatchObject({ code: 'invalid_request', param: 'samples.0.completion' })
  })
})

it('cancels, and refuses what a state forbids', async () => {
  const { body: run } = await post()
  const change = (what: string) => app.send('post', `/v1/grpo/runs/${run.id}/${what}`)
  expect((await change('pause')).body.error.code).toBe('conflict')
  expect((await change('resume')).body.error.code).toBe('conflict')
  expect((await change('cancel')).body.status).toBe('cancelled')
  expect((await change('cancel')).status).toBe(200)
  expect((await change('pause')).body.error.code).toBe('conflict')
})

it('does not show the run of another workspace', async () => {
  const unknown = await app.send('get', `/v1/grpo/runs/${publicId('grpoRun', randomUUID())}`)
  expect([unknown.status, unknown.body.error.code]).toEqual([404, 'not_found'])
})
