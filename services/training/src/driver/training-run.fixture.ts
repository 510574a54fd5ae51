import { createHash, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import { createHttpApp } from '@ratchet/service-kit/http/http-app'
import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { anything } from '@ratchet/testing/routes-of'
import { testAppDeps } from '@ratchet/testing/service-app'
import { silentLogger } from '@ratchet/testing/silent-logger'
import type { Router } from 'express'
import type { ArtifactRows } from '../artifacts/artifact-rows.ts'
import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import { createDirectoryArtifacts } from '../artifacts/directory-artifacts.ts'
import { createPgArtifactRows } from '../artifacts/pg-artifact-rows.ts'
import { artifactRoutes } from '../artifacts/routes.ts'
import { createPathSigner } from '../artifacts/signed-path.ts'
import { attemptSettings } from '../attempts/attempt.fixture.ts'
import { checkpointLimits } from '../attempts/check-manifest.ts'
import { createJobTokens } from '../attempts/job-token.ts'
import { createPgAttempts } from '../attempts/pg-attempts.ts'
import { type AttemptRouteDeps, attemptRoutes } from '../attempts/routes.ts'
import { wakeJob } from '../attempts/wake-job.ts'
import { createReadInTurn } from '../data/data-reading.ts'
import { jobDataBytes } from '../data/read-job-data.ts'
import { recordedSources } from '../data/recorded-sources.fixture.ts'
import type { SourceReader } from '../data/source-reader.ts'
import type { ToolCalls } from '../environment-tools/tool-calls.ts'
import { createPgJobs } from '../jobs/pg-jobs.ts'
import { type RecordedMoney, recordedMoney } from '../money/recorded-money.fixture.ts'
import { crashingTrainer } from '../trainers/crashing-trainer.fixture.ts'
import { createSimTrainer } from '../trainers/sim/sim-trainer.ts'
import type { Trainer } from '../trainers/trainer.ts'
import type { AdvanceDeps } from './advance-job.ts'
import { driveJobs } from './drive-jobs.ts'
import { createStatement, jobRequest, type NewTestJob } from './job-statement.fixture.ts'
import { listen } from './listen.fixture.ts'
import { createPgDriver } from './pg-driver.ts'
import { storeData } from './store-data.ts'

const now = () => new Date()
const key = new Uint8Array(32).fill(9)
/** Price of a million tokens: one dollar, so that a token costs a micro-dollar. */
export const priceNanoPerMtok = 1_000_000_000n

// biome-ignore lint/suspicious/noExplicitAny: tests read columns by name
type AnyRow = any

export interface TestWorkerOptions {
  /** Shortest duration of a whole job, milliseconds. */
  readonly jobMs?: number
  /** True: its trainers exit at once with code 1. */
  readonly crashes?: boolean
  /** False: it has no trainer. */
  readonly hasTrainer?: boolean
  /** Another trainer in place of the simulated one. */
  readonly trainerOf?: (onExit: () => void) => Trainer
}

/** A worker with simulated trainers. */
export interface TestWorker {
  /** Ends it as SIGKILL does: nothing is said to anyone. */
  kill(): Promise<void>
  /** Ends it as SIGTERM does. */
  stop(): Promise<void>
}

export interface TrainingRun {
  readonly operator: Pool
  /** Has the rights of the service. */
  readonly pool: Pool
  readonly sources: SourceReader
  /** Has data that workers and the API can read, as a dataset with this UUID; an error: reading it fails. */
  addData(datasetId: string, data: Buffer | Error): void
  readonly artifacts: ArtifactStore
  readonly artifactRows: ArtifactRows
  readonly money: RecordedMoney
  readonly url: string
  readonly tokens: ReturnType<typeof createJobTokens>
  /** Creates a job with a hold for all its tokens. Returns its id. */
  createJob(job?: NewTestJob): Promise<string>
  startWorker(options?: TestWorkerOptions): TestWorker
  job(id: string): Promise<AnyRow>
  attempts(id: string): Promise<AnyRow[]>
  checkpoints(id: string): Promise<AnyRow[]>
  /** Bytes of the adapter of a durable checkpoint. */
  adapter(id: string, step: number): Promise<Buffer>
  /** What a user asks of a running job. */
  ask(id: string, asked: 'pause' | 'cancel'): Promise<void>
  resume(id: string): Promise<void>
  /** Lets leases of jobs end at once. */
  passTime(id: string): Promise<void>
  drop(): Promise<void>
}

export interface TrainingRunOptions {
  /** Time without a heartbeat after which an attempt is lost, milliseconds. */
  readonly attemptLeaseMs?: number
  /** Where artifacts are; absent: in a folder. */
  readonly store?: ArtifactStore
  readonly writeResults?: AdvanceDeps['writeResults']
  readonly toolCallsOf?: (pool: Pool) => ToolCalls
  /** Mounts what trainers of GRPO runs call. */
  readonly grpo?: (router: Router, parts: TrainerParts) => AttemptRouteDeps['runSpec']
}

export interface TrainerParts extends Pick<AttemptRouteDeps, 'tokens' | 'artifacts' | 'limits'> {
  readonly pool: Pool
}

/** A database, the routes that trainers call, and workers that drive jobs with simulated trainers. */
export async function trainingRun(options: TrainingRunOptions = {}): Promise<TrainingRun> {
  const { attemptLeaseMs = 1_000, store: bucket, grpo } = options
  const database = await freshDatabase()
  const operator = connectPool({ databaseUrl: database.url, max: 2 })
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_training', max: 16 })
  const root = await mkdtemp(join(tmpdir(), 'training-'))
  const signer = createPathSigner([key])
  const tokens = createJobTokens([key])
  const artifacts = bucket ?? createDirectoryArtifacts({ root, signer, newId: randomUUID })
  const [attempts, artifactRows] = [createPgAttempts(pool), createPgArtifactRows(pool)]
  const limits = {
    ...checkpointLimits,
    heartbeat_seconds: 0.1,
    lease_seconds: attemptLeaseMs / 1_000,
    grace_seconds: 10,
    max_events: 500,
  }
  const app = createHttpApp({
    ...testAppDeps(now),
    requestId: () => randomUUID(),
    routes: (router) => {
      artifactRoutes(router, { artifacts, signer, now })
      const jobIdOf = (uuid: string) => `ftjob-${uuid}`
      attemptRoutes(router, {
        attempts,
        artifacts,
        artifactRows,
        tokens,
        toolCalls: options.toolCallsOf?.(pool) ?? anything<ToolCalls>(),
        limits,
        jobIdOf,
        runSpec:
          grpo?.(router, { pool, tokens, artifacts, limits }) ?? (() => Promise.reject(new Error('no runs here'))),
        newId: randomUUID,
        now,
        logger: silentLogger,
      })
    },
  })
  const { server, url } = await listen(app)
  const money = recordedMoney()
  const workers: TestWorker[] = []
  const { sources, addData } = recordedSources()
  const row = async (text: string, id: string) => (await operator.query(text, [id])).rows

  async function storeExamples(holder: { readonly id: string; readonly workspaceId: string }) {
    const lines = Buffer.from('{"messages":[]}\n'.repeat(16))
    const content = { sha256: createHash('sha256').update(lines).digest('hex'), bytes: lines.length }
    await artifactRows.add([content])
    await artifactRows.refer(holder, [content])
    await artifacts.put(content, lines)
    return content
  }

  const store = createPgDriver(pool)
  const note = async (_job: unknown, message: string) => void money.notes.push(message)
  const dataDeps = { sources, sliced: createSlicedWork(), artifacts, artifactRows, store, note }

  function startWorker({
    jobMs = 400,
    crashes = false,
    hasTrainer = true,
    trainerOf,
  }: TestWorkerOptions = {}): TestWorker {
    const stops: (() => unknown)[] = []
    let driving: ReturnType<typeof driveJobs> | null = null
    const onExit = () => void driving?.reconcile().catch(() => undefined)
    const simOf = () => createSimTrainer({ slots: 2, jobMs, now, retryForMs: 2_000, onExit })
    const sim = trainerOf?.(onExit) ?? (crashes ? crashingTrainer(onExit) : simOf())
    driving = driveJobs(
      {
        store,
        money,
        attempts,
        tokens,
        trainers: new Map(hasTrainer ? [[sim.name, sim]] : []),
        trainerUrl: url,
        attemptLeaseMs,
        readInTurn: createReadInTurn(),
        dataBytes: (job) => jobDataBytes(dataDeps, job, workerIdentity(job.workspaceId, job.createdBy)),
        readData: (job) => storeData(dataDeps, job),
        writeResults: options.writeResults ?? (async () => null),
        note,
        onJob: (event) => {
          if (event.kind === 'failed') money.failures.push(event.error)
        },
        onTrainer: () => undefined,
        onTrainersFailed: (error) => money.failures.push(error),
        onError: (error) => money.failures.push(error),
        onProgress: () => undefined,
      },
      {
        changes: { isListening: () => false, onChange: () => undefined },
        onStop: (stop) => void stops.push(stop),
        everyMs: 20,
        reconcileEveryMs: 200,
      },
    )
    let isOver = false
    const worker: TestWorker = {
      async kill() {
        if (isOver) return
        isOver = true
        driving = null
        const [, stopWork, stopReconciling] = stops
        const all = await sim.list()
        await Promise.all([stopWork?.(), stopReconciling?.(), ...all.map(({ name }) => sim.stop(name, 'now'))])
      },
      async stop() {
        if (isOver) return
        isOver = true
        for (const stop of stops.toReversed()) await stop()
      },
    }
    workers.push(worker)
    return worker
  }

  return {
    operator,
    pool,
    sources,
    addData,
    artifacts,
    artifactRows,
    money,
    url,
    tokens,
    startWorker,
    async createJob({ trainer = 'sim', settings = attemptSettings(), seed = 7, maxCostNano, data, ...job } = {}) {
      const { workspaceId = randomUUID() } = job
      const id = randomUUID()
      if (data !== undefined) addData(id, data)
      const content = data === undefined ? await storeExamples({ id, workspaceId }) : null
      const held = BigInt(settings.plan.total_tokens) * 1_000n
      await money.hold({ workspaceId, jobId: id, holdNumber: 1, createdBy: workspaceId, model: 'sim/base' }, held)
      await operator.query(createStatement, [
        ...[id, workspaceId, seed, JSON.stringify(settings), content?.sha256 ?? null, String(priceNanoPerMtok)],
        ...[settings.plan.total_tokens, maxCostNano === undefined ? null : String(maxCostNano), String(held)],
        ...[
          settings.plan.total_steps,
          data === undefined ? 'queued' : 'validating_files',
          JSON.stringify(jobRequest),
          trainer,
        ],
      ])
      return id
    },
    job: async (id) => (await row('SELECT * FROM training_job WHERE id = $1', id))[0],
    attempts: (id) => row('SELECT * FROM training_attempt WHERE job_id = $1 ORDER BY generation', id),
    checkpoints: (id) => row('SELECT * FROM checkpoint WHERE job_id = $1 AND durable_at IS NOT NULL ORDER BY step', id),
    async adapter(id, step) {
      const text = 'SELECT manifest FROM checkpoint WHERE job_id = $1 AND step = $2 AND durable_at IS NOT NULL'
      const { rows } = await operator.query<{ manifest: string }>(text, [id, step])
      const files = JSON.parse(rows[0]?.manifest ?? '[]') as { name: string; sha256: string }[]
      const { sha256 = '' } = files.find(({ name }) => name === 'adapter_model.safetensors') ?? {}
      return buffer(await artifacts.get(sha256))
    },
    async ask(id, asked) {
      await operator.query(`UPDATE training_job j SET asked = $2, ${wakeJob} WHERE id = $1`, [id, asked])
    },
    async resume(id) {
      const {
        workspace_id: workspaceId,
        hold_number: last,
        settings,
      } = (await row('SELECT * FROM training_job WHERE id = $1', id))[0]
      const held = BigInt(JSON.parse(settings).plan.total_tokens) * 1_000n
      await money.hold(
        { workspaceId, jobId: id, holdNumber: last + 1, createdBy: workspaceId, model: 'sim/base' },
        held,
      )
      // As the API does, which tells a worker that is just leaving the paused job alone.
      await createPgJobs(pool).resume({ workspaceId, id }, { number: last + 1, amountNano: held })
    },
    passTime: async (id) =>
      void (await operator.query('UPDATE training_job SET leased_until = NULL WHERE id = $1', [id])),
    async drop() {
      await Promise.all(workers.map((worker) => worker.kill()))
      server.closeAllConnections()
      server.close()
      await Promise.all([pool.end(), operator.end(), rm(root, { recursive: true, force: true })])
      await database.drop()
    },
  }
}
