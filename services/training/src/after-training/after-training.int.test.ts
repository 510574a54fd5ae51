import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { eventually } from '@ratchet/testing/eventually'
import { type TrainingRun, trainingRun } from '../driver/training-run.fixture.ts'
import { createPgPoolRequests } from '../pool/pg-pool-requests.ts'
import { type BringToServe, createBringToServe } from '../versions/bring-to-serve.ts'
import { createPgVersions } from '../versions/pg-versions.ts'
import { createPgAfterTraining } from './pg-after-training.ts'
import { startAfterEvals } from './start-after-eval.ts'

let run: TrainingRun
let jobId: string
beforeAll(async () => {
  run = await trainingRun()
  jobId = await run.createJob()
  run.startWorker({ jobMs: 50 })
  await eventually(async () => expect((await run.job(jobId)).status).toBe('succeeded'))
})
afterAll(() => run?.drop())
beforeEach(async () => {
  const request = JSON.stringify({ evalBaselineModel: 'sim/large', judgeModel: 'sim/judge', sampleCount: 20 })
  const text = 'UPDATE training_job SET after_training = $2, after_eval_id = NULL, finished_at = now() WHERE id = $1'
  await run.operator.query(text, [jobId, request])
  await run.operator.query('DELETE FROM version_edge')
})

/** The eval of a job asks the log, or a dataset that is there. */
const noLogging = {
  call: async (): Promise<never> => {
    throw new Error('Nothing is stored.')
  },
}

/** Has engines of these base models load what nothing serves. */
function bringTo(...bases: readonly string[]): BringToServe {
  return createBringToServe({
    versions: createPgVersions(run.pool),
    poolRequests: createPgPoolRequests(run.pool),
    poolBases: new Set(bases),
    maxAdapterRank: 64,
    maxPoolVersions: 5,
  })
}

/** Starts evals; the eval service answers with this, or fails with it. */
async function start(answer: object | Error, now = new Date(), bringToServe = bringTo()) {
  const [bodies, notes]: [unknown[], string[]] = [[], []]
  const looked = await startAfterEvals({
    jobs: createPgAfterTraining(run.pool),
    evals: {
      async call(_endpoint, input) {
        bodies.push(input)
        if (answer instanceof Error) throw answer
        return answer as never
      },
    },
    logging: noLogging,
    bringToServe,
    note: async (_job, message) => void notes.push(message),
    now: () => now,
  })
  return { looked, bodies, notes }
}

it('starts one eval of the last version, and connects them', async () => {
  const { bodies, notes } = await start({ id: 'eval_1' })
  const name = expect.stringMatching(/^ft:/)
  expect(bodies).toEqual([
    {
      idempotencyKey: `after-training-${jobId}`,
      body: expect.objectContaining({ baseline_model: 'sim/large', candidate_models: [name], sample_count: 20 }),
    },
  ])
  expect(notes[0]).toContain('eval_1')
  expect((await run.job(jobId)).after_eval_id).toBe('eval_1')
  const { rows } = await run.operator.query('SELECT kind, target FROM version_edge')
  expect(rows).toEqual([{ kind: 'eval', target: 'eval_1' }])
  expect((await start({ id: 'eval_2' })).looked).toBe(0)
})

it('tries again while the eval service is unavailable, and while the name is new', async () => {
  await expect(start(new FleetCallError('unavailable', { status: 0 }))).rejects.toThrow('unavailable')
  const unknown = new FleetCallError('There is no model.', { status: 404, code: 'model_not_found' })
  expect((await start(unknown)).notes).toEqual([])
  expect((await start({ id: 'eval_3' })).looked).toBe(1)
})

it('is not held up by another that fails', async () => {
  const other = await run.createJob()
  await eventually(async () => expect((await run.job(other)).status).toBe('succeeded'))
  const text =
    'UPDATE training_job SET after_training = (SELECT after_training FROM training_job WHERE id = $2) WHERE id = $1'
  await run.operator.query(text, [other, jobId])
  const looked: unknown[] = []
  const started = startAfterEvals({
    jobs: createPgAfterTraining(run.pool),
    evals: {
      async call(_endpoint, { idempotencyKey }) {
        looked.push(idempotencyKey)
        if (looked.length === 1) throw new Error('This one fails.')
        return { id: 'eval_5' } as never
      },
    },
    logging: noLogging,
    bringToServe: bringTo(),
    note: async () => undefined,
    now: () => new Date(),
  })
  await expect(started).rejects.toThrow('This one fails.')
  expect(looked.length).toBe(2)
  const ids = [(await run.job(jobId)).after_eval_id, (await run.job(other)).after_eval_id]
  expect(ids.toSorted()).toEqual(['eval_5', null])
  await run.operator.query('UPDATE training_job SET after_training = NULL WHERE id = $1', [other])
})

it('says why none was started', async () => {
  const refused = new FleetCallError('The wallet does not cover it.', { status: 402, code: 'insufficient_balance' })
  expect((await start(refused)).notes[0]).toContain('The wallet does not cover it.')
  expect((await start({ id: 'eval_4' })).looked).toBe(0)
})

describe('a version that nothing serves', () => {
  const pooled = () => bringTo('sim/base')
  const inPool = (state: string) =>
    run.operator.query("UPDATE pool_version SET state = $1, error = CASE WHEN $1 = 'failed' THEN 'It differs.' END", [
      state,
    ])
  beforeEach(() => run.operator.query('UPDATE model_version SET served_as = NULL'))
  afterEach(() => run.operator.query('DELETE FROM pool_version'))

  it('is brought to the pool, and asked when an engine has proven it', async () => {
    expect((await start({ id: 'eval_6' }, new Date(), pooled())).bodies).toEqual([])
    const { rows } = await run.operator.query('SELECT state FROM pool_version')
    expect(rows).toEqual([{ state: 'loading' }])
    expect((await start({ id: 'eval_6' }, new Date(), pooled())).bodies).toEqual([])
    await inPool('ready')
    const late = new Date(Date.now() + 60_000)
    const unknown = new FleetCallError('There is no model.', { status: 404, code: 'model_not_found' })
    expect((await start(unknown, late, pooled())).notes).toEqual([])
    expect((await start({ id: 'eval_6' }, late, pooled())).notes[0]).toContain('eval_6')
  })

  it.each([
    ['no engine is for its base', 'loading', () => bringTo(), 0, 'No engine of this installation'],
    ['its answers are not those of its trainer', 'failed', pooled, 0, 'It differs.'],
    ['no engine has loaded it in an hour', 'loading', pooled, 3_700_000, 'No engine has loaded'],
  ])('is not compared when %s', async (_why, state, bring, laterMs, message) => {
    await start({ id: 'eval_7' }, new Date(), pooled())
    if (state === 'failed') await inPool('failed')
    const { bodies, notes } = await start({ id: 'eval_7' }, new Date(Date.now() + laterMs), bring())
    expect([bodies, notes.length]).toEqual([[], 1])
    expect(notes[0]).toContain(message)
    expect((await start({ id: 'eval_7' })).looked).toBe(0)
  })
})
