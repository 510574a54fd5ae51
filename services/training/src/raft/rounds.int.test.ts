import { randomUUID } from 'node:crypto'
import { publicId } from '@ratchet/contracts/public-id'
import { createPgRoundWork } from './pg-round-work.ts'
import { roundReply } from './round-reply.ts'
import { goneJudge, type RoundRun, roundRun } from './round-run.fixture.ts'

let run: RoundRun
beforeEach(async () => {
  run = await roundRun()
})
afterEach(() => run.drop())

const callsOf = (calls: ReadonlyMap<string, number>) => [...calls.values()]

it('trains on what judges accepted, and measures the model on prompts that were held out', async () => {
  const round = await run.create()
  const waiting = await run.drive(round)
  expect(waiting).toMatchObject({ status: 'training', generated: 480, judged: 480 })
  const [examples = []] = run.datasets
  expect(waiting.curation).toMatchObject({ kept: examples.length - (waiting.curation?.real ?? 0) })
  expect(waiting.curation?.precisionCi?.[0]).toBeGreaterThan(0.85)
  expect(examples.filter((each) => JSON.stringify(each).includes('answer of people'))).toHaveLength(
    waiting.curation?.real ?? 0,
  )
  const [job] = run.jobs.values()
  expect(job).toMatchObject({ baseModel: 'sim/base', producer: { kind: 'raft', id: round.id } })

  run.quality.set('sim/quality-0.95', 0.95)
  await run.train(round, 'sim/quality-0.95')
  const done = await run.drive(round)
  expect(done).toMatchObject({ status: 'done', statusMessage: null, modelVersionId: expect.any(String) })
  expect(done.holdout?.after).toBeGreaterThan(done.holdout?.before ?? 1)
  expect(done.holdout?.ci[0]).toBeGreaterThan(0)
  // 480 answers and 40 × 4 before and after, each with a verdict.
  expect(done.costNano).toBe(2_000n * (480n + 320n))
  expect(await run.notices(round)).toEqual(['raft.round.done'])
  expect(new Set(callsOf(run.calls))).toEqual(new Set([1]))
})

it('trains with its settings from the version that it began with, and asks for an eval', async () => {
  const evalBaseline = { evalBaselineModel: 'sim/large', judgeModel: 'sim/judge', sampleCount: 20 }
  const hyperparameters = { nEpochs: 4, batchSize: 2, learningRate: 1e-4, maxSequenceLength: 900 }
  const first = await run.create()
  await run.drive(first)
  await run.train(first, 'sim/first')
  const { modelVersionId } = await run.drive(first)
  const round = await run.create(
    { workspaceId: first.workspaceId, startModel: 'sim/base', startVersionId: modelVersionId },
    {
      baseModel: null,
      modelVersionId: publicId('modelVersion', modelVersionId ?? ''),
      fineTuning: { hyperparameters },
      evalBaseline,
    },
  )
  await run.drive(round)
  const job = [...run.jobs.values()].at(-1)
  expect(job).toMatchObject({ warmStartId: modelVersionId, request: { afterTraining: evalBaseline } })
  expect(job?.settings.hyperparameters).toMatchObject({ n_epochs: 4, batch_size: 2, learning_rate: 1e-4, lora_rank: 8 })
})

it('trains without an eval whose judge is gone, and says so', async () => {
  const gone = { evalBaselineModel: 'sim/large', criterionId: publicId('criterion', goneJudge) }
  const waiting = await run.drive(await run.create({}, { evalBaseline: gone }))
  expect(waiting).toMatchObject({ status: 'training', evalId: null })
  expect(waiting.warnings).toEqual([expect.stringContaining('No eval')])
  expect([...run.jobs.values()].at(-1)?.request.afterTraining).toBeNull()
})

it('measures a version that its trainer does not serve when an engine of the pool has proven it', async () => {
  run.poolBases.add('sim/base')
  const round = await run.create()
  await run.drive(round)
  await run.train(round, null)
  run.onServe = async () => {
    const { rows } = await run.operator.query('SELECT name FROM model_version')
    run.quality.set(rows[0].name, 0.95)
    await run.operator.query("UPDATE pool_version SET state = 'ready'")
  }
  const done = await run.drive(round)
  expect(done).toMatchObject({ status: 'done', statusMessage: null })
  expect(done.holdout?.ci[0]).toBeGreaterThan(0)
  const key = { workspaceId: round.workspaceId, id: done.modelVersionId ?? '' }
  expect(await createPgRoundWork(run.pool).servedAs(key)).toMatch(/^ft:/)
})

it('says that a version could not be measured which nothing serves', async () => {
  const round = await run.create()
  await run.drive(round)
  await run.train(round, null)
  const done = await run.drive(round)
  expect(done).toMatchObject({ status: 'done', holdout: null, modelVersionId: expect.any(String) })
  expect(done.statusMessage).toContain('nothing serves it')
})

it('shows what users should know of its prompts and of what it trains on', async () => {
  const train = Array.from({ length: 60 }, (_, index) => ({
    messages: [{ role: 'user', content: `Question ${index}` }],
    tools: null,
    reference: null,
  }))
  const waiting = await run.drive(await run.create({ train, warnings: ['Of its prompts.'] }))
  expect(roundReply(waiting).warnings).toEqual(['Of its prompts.', 'The dataset has only 0 replies to mix in.'])
})

it('trains on nothing when nine of ten answers are wrong', async () => {
  run.quality.set('sim/base', 0.1)
  const round = await run.create()
  const failed = await run.drive(round)
  expect(failed).toMatchObject({ status: 'failed', errorCode: 'precision_too_low', jobId: null, datasetId: null })
  expect(failed.curation?.precision).toBeGreaterThan(0.2)
  expect(failed.curation?.precision).toBeLessThan(0.7)
  expect([run.datasets, run.jobs.size]).toEqual([[], 0])
  expect(await run.notices(round)).toEqual(['raft.round.failed'])
})

it('asks for every answer and verdict under one key, also when storing fails', async () => {
  const round = await run.create()
  run.failures = 25
  expect((await run.drive(round)).status).toBe('training')
  expect(run.failures).toBe(0)
  // 480 to choose from, 160 before; each answered and judged. A repetition has the key of the first try.
  expect(run.calls.size).toBe(2 * (480 + 160))
  expect(callsOf(run.calls).filter((times) => times > 1).length).toBeLessThanOrEqual(25)
})

it('stops when it is cancelled, and goes on where it was', async () => {
  const round = await run.create()
  await run.operator.query("UPDATE raft_sample SET state = 'refused' WHERE sample_index > 5")
  expect(await run.rounds.cancel(round, new Date())).toBe(true)
  expect([await run.rounds.cancel(round, new Date()), (await run.rounds.get(round))?.status]).toEqual([
    false,
    'cancelled',
  ])
  expect(await run.rounds.resume(round)).toBe(true)
  expect(await run.rounds.resume(round)).toBe(false)
  expect(await run.drive(round)).toMatchObject({ status: 'training', generated: 360 })
})

it('ends the job that is created while the round is cancelled', async () => {
  const round = await run.create()
  run.onJob = async () => void (await run.rounds.cancel(round, new Date()))
  expect(await run.drive(round)).toMatchObject({ status: 'cancelled', jobId: null })
  expect(run.cancelled).toEqual([...run.jobs.keys()])
  expect(run.cancelled).toHaveLength(1)
})

it('fails when its judge is not proven any more', async () => {
  const round = await run.create()
  await run.operator.query('UPDATE raft_round SET judges = $1', [
    JSON.stringify([
      { role: 'reward', criterionId: randomUUID(), judgeModel: 'sim/judge', prompt: 'Wrong.', instrument: 2 },
    ]),
  ])
  expect(await run.drive(round)).toMatchObject({ status: 'failed', errorCode: 'criterion_not_trustworthy' })
})

it('has one round of a chain at a time, and lists what is asked for', async () => {
  const first = await run.create()
  const { workspaceId, id: chainId } = first
  await expect(run.create({ workspaceId, chainId, roundIndex: 1 })).rejects.toThrow('has not ended')
  await run.rounds.cancel(first, new Date())
  const second = await run.create({ workspaceId, chainId, roundIndex: 1, previousRoundId: first.id })
  expect(await run.rounds.resume(first)).toBe(false)
  const page = { workspaceId, limit: 10, offset: 0 }
  const ids = async (filter: object) => (await run.rounds.list({ ...page, ...filter })).rounds.map(({ id }) => id)
  expect(await ids({ chainId })).toEqual(expect.arrayContaining([first.id, second.id]))
  expect(await ids({ status: 'cancelled' })).toEqual([first.id])
  expect(await ids({ workspaceId: randomUUID() })).toEqual([])
  expect(await run.rounds.get({ workspaceId: randomUUID(), id: first.id })).toBeNull()
})
