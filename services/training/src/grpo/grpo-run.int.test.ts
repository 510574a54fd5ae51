import { randomUUID } from 'node:crypto'
import { lookSamples } from '@ratchet/contracts/grpo-protocol'
import { publicId } from '@ratchet/contracts/public-id'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { eventually } from '@ratchet/testing/eventually'
import { createPgAfterTraining } from '../after-training/pg-after-training.ts'
import { startAfterEvals } from '../after-training/start-after-eval.ts'
import { bodyOf, criterion, type GrpoRunApp, grpoRunApp, judge, rewardId, small16 } from './grpo.fixture.ts'
import { dropRollouts } from './progress/pg-drop-rollouts.ts'

let app: GrpoRunApp
let stopJudging: () => Promise<void>

beforeAll(async () => {
  app = await grpoRunApp()
  stopJudging = app.startJudging()
})

afterAll(async () => {
  await stopJudging()
  await app.drop()
})

const uuidOf = (id: string) => id.slice(5).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** Waits until a run has a status. Fails at once in another final one. */
async function reaching(id: string, status: string, seconds = 60) {
  return await eventually(
    async () => {
      const run = await app.read(id)
      if (run.status !== status)
        throw new Error(
          `${run.status} ${run.status_message} ${JSON.stringify(app.money.failures.slice(-2))} step ${run.progress.step}`,
        )
      return run
    },
    { withinMs: seconds * 1_000 },
  )
}

it('trains until a candidate waits, whose reward has risen, and holds nothing then', async () => {
  const worker = app.startWorker()
  const { id } = await app.create()
  const run = await reaching(id, 'awaiting_adoption')
  await worker.stop()
  expect(run).toMatchObject({
    progress: { step: 12 },
    held_usd: 0,
    guard: { verdict: 'healthy', looks: 4, last_step: 12 },
  })
  expect(run.reward_current).toBeGreaterThan(run.reward_baseline + 0.2)
  expect(run.best_step).toBeGreaterThan(0)
  expect(run.model).toMatch(/^ft:/)
  expect(run.cost_usd).toBeGreaterThan(0)
  expect(run.cost_usd + run.judge_cost_usd).toBeLessThanOrEqual(run.max_cost_usd)
  expect(app.money.hasOpenHold(uuidOf(id))).toBe(false)
  const paid = new Set(app.judging.keys).size * Number(app.judging.costNano)
  expect(run.judge_cost_usd).toBeCloseTo(paid / 1e9, 9)
})

it('costs its judges what was estimated, when no group is sampled again', async () => {
  const hyperparameters = { ...small16, maxSteps: 4, maxOutputTokens: 1, resampleZeroVariance: 0 }
  const asked = { ...bodyOf(app.datasetId), hyperparameters }
  const estimate = (await app.send('post', '/v1/grpo/runs/estimate', asked)).body
  app.judging.costNano = 100_000n
  const worker = app.startWorker()
  const { id } = await app.create(asked)
  const run = await reaching(id, 'awaiting_adoption')
  await worker.stop()
  app.judging.costNano = 1_000n
  // What is left is the price of the tokens of the looks.
  const sampled = 2 * run.prompts.guard * lookSamples * 0.8e-6
  expect(run.judge_cost_usd).toBeCloseTo(estimate.judging_usd + estimate.guard_usd - sampled, 6)
})

it('forgets its answers 30 days after its end, but not those that are audited, graded or best', async () => {
  const { rows } = await app.operator.query("SELECT id FROM grpo_run WHERE stage = 'awaiting_adoption' LIMIT 1")
  const path = `/v1/grpo/runs/${publicId('grpoRun', rows[0].id)}`
  const read = async (what: string) => (await app.send('get', `${path}/${what}`)).body
  const [audit, guard, steps] = [await read('audit'), await read('guard'), await read('steps')]
  const looked = (await read('rollouts?kind=look&step=0&sort=reward&limit=1')).data[0].id
  const gradeStatement = `
    INSERT INTO grpo_grade (id, rollout_id, run_id, workspace_id, verdict, rationale, grader, created_at)
    SELECT gen_random_uuid(), o.id, o.run_id, o.workspace_id, 'fail', NULL, 'ann', now() FROM grpo_rollout o WHERE o.id = $1`
  await app.operator.query(gradeStatement, [uuidOf(looked)])
  const soon = new Date(Date.now() - 3_600_000)
  expect(await dropRollouts(app.pool, soon)).toBe(0)
  const before = new Date(Date.now() + 1_000)
  expect(await dropRollouts(app.pool, before)).toBeGreaterThan(100)
  expect(await dropRollouts(app.pool, before)).toBe(0)
  expect(await read('audit')).toEqual(audit)
  expect(await read('steps')).toEqual(steps)
  const [first, ...later] = (await read('guard')).looks
  expect(first.human.graded).toBe(1)
  expect(later).toEqual(guard.looks.slice(1))
  const counted = await app.operator.query(
    'SELECT count(*)::int AS kept, count(*) FILTER (WHERE id = $2)::int AS graded FROM grpo_rollout WHERE run_id = $1',
    [rows[0].id, uuidOf(looked)],
  )
  expect(counted.rows[0]).toEqual({ kept: 21, graded: 1 })
})

describe('a run from a version', () => {
  const afterTraining = { evalBaselineModel: 'sim/small', judgeModel: 'sim/judge' }
  const short = { ...small16, maxSteps: 3, loraRank: undefined }
  let start: { id: string; model: string; model_version_id: string }

  beforeAll(async () => {
    const { rows } = await app.operator.query("SELECT id FROM grpo_run WHERE stage = 'awaiting_adoption' LIMIT 1")
    start = await app.read(publicId('grpoRun', rows[0].id))
  })

  const proof: { examples?: { messages: object[] }[] }[] = []
  const proofId = publicId('dataset', randomUUID())

  /** Starts evals; the eval service answers with an id, or refuses. The logging service stores the prompts. */
  async function startEvals(answer: string | FleetCallError) {
    const bodies: unknown[] = []
    await startAfterEvals({
      jobs: createPgAfterTraining(app.pool),
      bringToServe: async () => ({ kind: 'served', byPool: false }),
      logging: {
        async call(_endpoint, { body }) {
          proof.push(body as never)
          return { dataset: { id: proofId } } as never
        },
      },
      evals: {
        async call(_endpoint, input) {
          bodies.push(input)
          if (typeof answer !== 'string') throw answer
          return { id: answer } as never
        },
      },
      note: async () => undefined,
      now: () => new Date(),
    })
    return bodies
  }

  it('goes on with its adapter and its rank, and its candidate is compared when it is there', async () => {
    const worker = app.startWorker()
    const from = { baseModel: undefined, warmStartFrom: start.model, hyperparameters: short, afterTraining }
    const created = await app.create(from)
    expect(created).toMatchObject({
      base_model: 'sim/small',
      warm_start_from: start.model_version_id,
      hyperparameters: { lora_rank: 8 },
      eval_id: null,
    })
    const run = await reaching(created.id, 'awaiting_adoption')
    await worker.stop()
    const { rows } = await app.operator.query('SELECT parent_id, name FROM model_version WHERE name = $1', [run.model])
    expect(publicId('modelVersion', rows[0].parent_id)).toBe(start.model_version_id)
    expect(await startEvals('eval_1')).toEqual([
      expect.objectContaining({
        body: expect.objectContaining({
          name: `After ${run.id}`,
          baseline_model: 'sim/small',
          candidate_models: [run.model],
          sample_filters: { dataset_id: proofId },
        }),
      }),
    ])
    const { rows: seen } = await app.operator.query(
      "SELECT messages FROM grpo_prompt WHERE run_id = $1 AND part <> 'proof'",
      [uuidOf(run.id)],
    )
    const used = new Set(seen.map(({ messages }) => messages))
    const asked = proof[0]?.examples?.map(({ messages }) => JSON.stringify(messages)) ?? []
    expect(proof[0]).toMatchObject({ name: `Proof of ${run.id}`, format: 'prompts' })
    expect([asked.length, asked.filter((messages) => used.has(messages))]).toEqual([run.prompts.proof, []])
    expect((await app.read(run.id)).eval_id).toBe('eval_1')
    expect(await startEvals('eval_2')).toEqual([])
  })

  it('says why nothing was compared', async () => {
    const worker = app.startWorker()
    const { id } = await app.create({ hyperparameters: { ...small16, maxSteps: 3 }, afterTraining })
    await reaching(id, 'awaiting_adoption')
    await worker.stop()
    await startEvals(new FleetCallError('The wallet does not cover it.', { status: 402, code: 'insufficient_balance' }))
    const run = await app.read(id)
    expect(run.eval_id).toBeNull()
    expect(run.warnings.join(' ')).toContain('The wallet does not cover it.')
  })

  it('refuses another rank', async () => {
    const { body } = await app.send('post', '/v1/grpo/runs', {
      ...bodyOf(app.datasetId),
      baseModel: null,
      warmStartFrom: start.model_version_id,
      hyperparameters: { loraRank: 16 },
    })
    expect(body.error).toMatchObject({ code: 'invalid_request', param: 'hyperparameters.loraRank' })
  })
})

it('pauses a run whose policy exploits its judge', async () => {
  const worker = app.startWorker()
  app.judging.judges.set(rewardId, judge(rewardId, { judgeModel: 'sim/judge-gullible' }))
  const { id } = await app.create({
    hyperparameters: { ...small16, klBeta: 0, maxSteps: 60, promptsPerStep: 8, groupSize: 8 },
  })
  const run = await reaching(id, 'paused')
  await worker.stop()
  app.judging.judges.set(rewardId, judge(rewardId))
  expect(run).toMatchObject({ paused_reason: 'reward_diverged', guard: { verdict: 'diverging' }, held_usd: 0 })
  const guard = (await app.send('get', `/v1/grpo/runs/${id}/guard`)).body
  expect(guard).toMatchObject({ object: 'grpo.guard' })
  expect(guard.looks.at(-1).gap.lower).toBeGreaterThan(guard.margin)
  expect(criterion(rewardId)).toBe(run.judges_at_start[0].criterion_id)
})
