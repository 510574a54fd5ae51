import { setTimeout as delay } from 'node:timers/promises'
import { workerTimeouts } from '@ratchet/db/connect-process-pool'
import { createChecks } from '@ratchet/judge-kit/checks/create-checks'
import { aliasConfig, connectAlias } from '@ratchet/judge-kit/fleet/connect-alias'
import { connectEval, evalConfig } from '@ratchet/judge-kit/fleet/connect-eval'
import { connectFleet, fleetConfig } from '@ratchet/judge-kit/fleet/connect-fleet'
import { createJudgeExchange, type JudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { httpServiceConfig } from '@ratchet/service-kit/process/config'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { sweepAnswers } from '@ratchet/work-kit/answers/pg-first-answers'
import { startErasures } from '@ratchet/work-kit/erasure/start-erasures'
import { startOutbox } from '@ratchet/work-kit/outbox/publish-outbox'
import { createWebhookPublisher } from '@ratchet/work-kit/outbox/publish-webhook-event'
import { listenForWork } from '@ratchet/work-kit/polling/pg-work-changes'
import { pollForWork, shortPace } from '@ratchet/work-kit/polling/poll-for-work'
import type { WorkChanges } from '@ratchet/work-kit/polling/work-changes'
import { startWorkerProcess, type WorkerParts } from '@ratchet/work-kit/processes/start-worker-process'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createPgAfterTraining } from './after-training/pg-after-training.ts'
import { startAfterEvals } from './after-training/start-after-eval.ts'
import type { ArtifactStore } from './artifacts/artifact-store.ts'
import { createPgArtifactRows } from './artifacts/pg-artifact-rows.ts'
import { sweepArtifacts } from './artifacts/sweep-artifacts.ts'
import { createJobTokens } from './attempts/job-token.ts'
import { createPgAttempts } from './attempts/pg-attempts.ts'
import { createReadInTurn } from './data/data-reading.ts'
import { jobDataBytes } from './data/read-job-data.ts'
import { createSourceReader } from './data/source-reader.ts'
import { driveDistillations, forgetDistillations } from './distill/drive-distillations.ts'
import { type Driving, driveJobs } from './driver/drive-jobs.ts'
import type { DrivenJob } from './driver/driver-store.ts'
import { createPgDriver } from './driver/pg-driver.ts'
import { storeData } from './driver/store-data.ts'
import { createPgToolCalls } from './environment-tools/pg-tool-calls.ts'
import type { ToolCalls } from './environment-tools/tool-calls.ts'
import { trainingRooms } from './erasure/pg-erasure-rooms.ts'
import { createWorkerEvents, type WorkerEvents } from './events.ts'
import { driveSteps } from './grpo/judging/drive-steps.ts'
import { dropRollouts } from './grpo/progress/pg-drop-rollouts.ts'
import { createPgFinish } from './grpo/runs/pg-finish.ts'
import { createPgJobs } from './jobs/pg-jobs.ts'
import { createPgProgress } from './jobs/pg-progress.ts'
import { createHttpJobMoney } from './money/http-job-money.ts'
import type { JobMoney } from './money/job-money.ts'
import { keepHolds } from './money/keep-holds.ts'
import { createPgHeldJobs } from './money/pg-held-jobs.ts'
import { createPgNotices } from './notices/pg-notices.ts'
import { driveRounds } from './raft/drive-rounds.ts'
import { createPgResults } from './results/pg-results.ts'
import { writeResults } from './results/write-results.ts'
import { artifactConfig, createArtifacts, secretsOf } from './start-artifacts.ts'
import { startDedicatedWork } from './start-dedicated.ts'
import { startDistillWork } from './start-distill.ts'
import { engineConfig, hardwareConfig, startEngines } from './start-engines.ts'
import { connectJudging, judgingConfig, startGrpoJudging } from './start-grpo.ts'
import { poolWorkerConfig, startPool, startPoolRequests } from './start-pool.ts'
import { startRaftWork } from './start-raft.ts'
import { startToolCalls, toolsConfig } from './start-tools.ts'
import { slotsOf, trainerLimits } from './start-trainers.ts'
import { createTrainers, workerTrainerConfig } from './start-worker-trainers.ts'
import { createModelDirectory } from './trainable-models/model-directory.ts'
import { type BringToServe, createBringToServe } from './versions/bring-to-serve.ts'
import { createPgVersions } from './versions/pg-versions.ts'

export const TrainingWorkerConfig = z.object({
  ...httpServiceConfig,
  ...fleetConfig,
  ...aliasConfig,
  ...evalConfig,
  ...judgingConfig,
  ...toolsConfig,
  ...artifactConfig,
  ...hardwareConfig,
  ...engineConfig,
  ...poolWorkerConfig,
  /** Where trainers reach the API of training. */
  TRAINER_URL: z.url({ protocol: /^https?$/ }),
  ...workerTrainerConfig,
})
export type TrainingWorkerConfig = z.output<typeof TrainingWorkerConfig>

/** Intervals, milliseconds: searches for jobs, comparisons of trainers with attempts, sweeps, holds. */
const every = { searchMs: 1_000, reconcileMs: 10_000, sweepMs: 600_000, holdsMs: 300_000 }

/** How long answers of runs, and calls of environment tools, are kept after their runs. */
const answersKeptMs = 30 * dayMs

/** Starts a worker, whose port answers probes and metrics. Resolves with the bound port. */
export function startTrainingWorker(
  config: TrainingWorkerConfig,
  logger: Logger,
  lifecycle: Lifecycle,
): Promise<number> {
  const database = { role: 'ratchet_training', max: 8, ...workerTimeouts } as const
  return startWorkerProcess({ name: 'training-worker', database }, { config, logger, lifecycle }, (parts) =>
    startWork(config, parts),
  )
}

async function startWork(config: TrainingWorkerConfig, parts: WorkerParts): Promise<void> {
  const { pool, lifecycle, now, progress, metrics, logger } = parts
  const { onStop } = lifecycle
  const events = createWorkerEvents(metrics, logger)
  const newId = () => uuidV7(now().getTime())
  const { inference, logging } = connectFleet(config, { ...lifecycle, now, connections: 8 })
  const onUncovered = ({ jobId }: { readonly jobId: string }) => events.holdLost(jobId)
  const money = createHttpJobMoney({ inference, delay: (ms) => delay(ms), random: Math.random, onUncovered })
  const { artifacts } = createArtifacts(config, { now, newId })
  const artifactRows = createPgArtifactRows(pool)
  const store = createPgDriver(pool)
  const jobEvents = createPgProgress(pool)
  const note = (
    { workspaceId, id: jobId }: Pick<DrivenJob, 'workspaceId' | 'id'>,
    message: string,
    level: 'info' | 'error' = 'info',
  ) =>
    jobEvents.addEvent(
      { workspaceId, jobId },
      { id: newId(), level, type: 'message', message, data: null, createdAt: now() },
    )
  const sources = createSourceReader(logging)
  const dataDeps = { sources, sliced: createSlicedWork(), artifacts, artifactRows, store, note }
  const changes = listenForWork(parts)
  let driving: Driving | null = null
  const onExit = () => void driving?.reconcile().catch(events.trainersFailed)
  const trainers = await createTrainers(config, { now, onFailed: events.attemptFailed, onExit })
  driving = driveJobs(
    {
      store,
      money,
      attempts: createPgAttempts(pool),
      tokens: createJobTokens(secretsOf(config)),
      trainers,
      trainerUrl: config.TRAINER_URL,
      attemptLeaseMs: trainerLimits.lease_seconds * 1_000,
      readInTurn: createReadInTurn(),
      dataBytes: (job) => jobDataBytes(dataDeps, job, workerIdentity(job.workspaceId, job.createdBy)),
      readData: (job) => storeData(dataDeps, job),
      writeResults: (job) => writeResults({ results: createPgResults(pool), logging, note }, job),
      note,
      onJob: events.job,
      onTrainer: events.trainer,
      onTrainersFailed: events.trainersFailed,
      onError: progress.whileUnavailable(events.databaseFailed),
      onProgress: progress.onProgress,
    },
    { changes, onStop, everyMs: every.searchMs, reconcileEveryMs: every.reconcileMs },
  )
  await startServing(config, parts, { inference, artifacts, money, changes, events })
  const judgeExchange = createJudgeExchange({ inference, now, ...createChecks(onStop) })
  const bringToServe = createBringToServe({ ...startPoolRequests(config, pool), versions: createPgVersions(pool) })
  startSampling(config, parts, { inference, logging, judgeExchange, money, bringToServe, changes, events })
  startRuns({ pool, judgeExchange, toolCalls: startToolCalls(config, { pool, now }), changes, events }, parts)
  const connectEvals = connectEval(config, { ...lifecycle, now, connections: 4 })
  const publish = createWebhookPublisher(connectAlias(config, { ...lifecycle, now, connections: 4 }))
  startOutbox({ outbox: createPgNotices(pool), publish, now, onAttempt: events.notice }, { onStop, logger, changes })
  startErasures({ service: 'training', pool, databaseUrl: config.DATABASE_URL, lifecycle, logger }, trainingRooms)
  const afterTraining = { jobs: createPgAfterTraining(pool), evals: connectEvals, logging, bringToServe, note, now }
  const startEvals = () => startAfterEvals(afterTraining)
  onStop(pollForWork({ everyMs: every.searchMs, changes, work: startEvals, onError: events.evalsFailed }))
  startUpkeep(parts, { artifacts, artifactRows, money, events })
}

interface UpkeepParts {
  readonly artifacts: ArtifactStore
  readonly artifactRows: ReturnType<typeof createPgArtifactRows>
  readonly money: ReturnType<typeof createHttpJobMoney>
  readonly events: WorkerEvents
}

/** Removes what nobody needs any more, and confirms the holds of jobs. */
function startUpkeep(
  { pool, now, lifecycle: { onStop } }: WorkerParts,
  { artifacts, artifactRows, money, events }: UpkeepParts,
): void {
  const sweep = async () => {
    await sweepAnswers(pool, 'training_answer')
    await sweepArtifacts({ artifacts, rows: artifactRows, now })
  }
  onStop(repeatEvery({ everyMs: every.sweepMs, work: sweep, onError: events.sweepFailed }))
  const onLost = ({ jobId }: { readonly jobId: string }) => events.holdLost(jobId)
  const keep = () => keepHolds({ jobs: createPgHeldJobs(pool), money, onLost, onError: events.holdsFailed })
  onStop(repeatEvery({ everyMs: every.holdsMs, work: keep, onError: events.holdsFailed }))
}

interface RoundParts {
  readonly inference: FleetClient
  readonly logging: FleetClient
  readonly judgeExchange: JudgeExchange
  readonly money: JobMoney
  readonly bringToServe: BringToServe
  readonly changes: WorkChanges
  readonly events: WorkerEvents
}

interface RunParts {
  readonly pool: WorkerParts['pool']
  readonly toolCalls: ToolCalls
  readonly judgeExchange: JudgeExchange
  readonly changes: WorkChanges
  readonly events: WorkerEvents
}

/** Dedicated endpoints, the engines of this worker, and the pool. */
async function startServing(
  config: TrainingWorkerConfig,
  { pool, now, progress, lifecycle: { onStop } }: WorkerParts,
  {
    inference,
    artifacts,
    money,
    changes,
    events,
  }: Omit<RoundParts, 'logging' | 'judgeExchange' | 'bringToServe'> & { readonly artifacts: ArtifactStore },
): Promise<void> {
  const engines = await startEngines(config, { now, onStop })
  const models = createModelDirectory(inference, new Set(slotsOf(config).keys()))
  const newId = () => uuidV7(now().getTime())
  startDedicatedWork({
    pool,
    money,
    models,
    engines,
    artifacts,
    newId,
    changes,
    onStop,
    hardware: config.DEDICATED_HARDWARE,
    onEndpoint: events.endpoint,
    onEngine: events.engine,
    onError: progress.whileUnavailable(events.databaseFailed),
    onProgress: progress.onProgress,
  })
  if (engines === null) return
  startPool(config, { pool, engines, models, artifacts, changes, events, onStop, now, newId })
}

/** Advances rounds, and datasets of a teacher's answers. */
function startSampling(
  config: TrainingWorkerConfig,
  parts: WorkerParts,
  { changes, events, ...others }: RoundParts,
): void {
  const { pool, lifecycle, now, progress } = parts
  const models = createModelDirectory(others.inference, new Set(slotsOf(config).keys()))
  const judging = connectJudging(config, { ...lifecycle, now })
  const context = { ...others, pool, judging, models, jobs: createPgJobs(pool), now }
  const options = { changes, onStop: lifecycle.onStop, everyMs: every.searchMs }
  const distilling = startDistillWork(parts, { ...others, events })
  driveDistillations(distilling, options)
  const forget = () => forgetDistillations(distilling)
  lifecycle.onStop(repeatEvery({ everyMs: every.sweepMs, work: forget, onError: events.sweepFailed }))
  driveRounds(
    {
      ...startRaftWork({ ...context, onFailure: events.roundFailed }),
      onError: progress.whileUnavailable(events.databaseFailed),
      onProgress: progress.onProgress,
    },
    options,
  )
}

/** Judges the steps of GRPO runs, chooses the result of those that are over, and forgets old answers and calls of tools. */
function startRuns(run: RunParts, { lifecycle, now, progress }: WorkerParts): void {
  const { pool, judgeExchange, toolCalls, changes, events } = run
  const { onStop } = lifecycle
  driveSteps(startGrpoJudging({ pool, judgeExchange, toolCalls, onFailure: events.judgingFailed }), {
    changes,
    onStop,
    everyMs: every.searchMs,
    onError: progress.whileUnavailable(events.databaseFailed),
    onProgress: progress.onProgress,
  })
  const finishing = createPgFinish(pool)
  const callRows = createPgToolCalls(pool)
  const finish = async () => (await finishing.finish()) + (await callRows.releaseEnded())
  onStop(
    pollForWork({ everyMs: every.searchMs, changes, quiet: shortPace, work: finish, onError: events.databaseFailed }),
  )
  const forget = async () => {
    const before = new Date(now().getTime() - answersKeptMs)
    await finishing.expire()
    await callRows.forget(before)
    await dropRollouts(pool, before)
  }
  onStop(repeatEvery({ everyMs: every.sweepMs, work: forget, onError: events.sweepFailed }))
}
