import { randomUUID } from 'node:crypto'
import type { Alias } from '@ratchet/contracts/aliases'
import type { Dataset } from '@ratchet/contracts/datasets'
import type { Eval } from '@ratchet/contracts/evals'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { pauseUnlessAborted } from '@ratchet/service-kit/timing/pause-unless-aborted'
import { eventually } from '@ratchet/testing/eventually'
import { testApp } from '@ratchet/testing/service-app'
import { createPgFirstAnswers } from '@ratchet/work-kit/answers/pg-first-answers'
import request from 'supertest'
import { type TrainingRun, type TrainingRunOptions, trainingRun } from '../driver/training-run.fixture.ts'
import { small } from '../jobs/job-app.fixture.ts'
import { createPgJobs } from '../jobs/pg-jobs.ts'
import { createPgPoolRequests } from '../pool/pg-pool-requests.ts'
import { createImportPlaces } from './import-places.ts'
import { createCandidateVersion } from './pg-create-version.ts'
import { createPgVersions } from './pg-versions.ts'
import type { RewardSource } from './reward-source.ts'
import { versionRoutes } from './routes.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
type Json = any

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
  readonly text: string
}

export interface VersionApp {
  readonly run: TrainingRun
  readonly workspaceId: string
  /** The alias that the alias service has; null for none. */
  alias: Alias | null
  /** What it was asked to store. */
  readonly puts: Json[]
  /** What it answers to a change in place of storing it. */
  refusal: ServiceError | null
  readonly evals: Eval[]
  /** Whether the eval service does not answer. */
  evalsAreDown: boolean
  /** Conversations of the prompts of every eval. */
  evalRoots: readonly string[]
  readonly datasets: Map<string, Dataset>
  readonly rewards: Map<'grpo' | 'raft', RewardSource>
  send(method: 'get' | 'post' | 'delete', path: string, body?: object, by?: string): Promise<Answer>
  /** A form with an adapter. */
  upload(fields: Readonly<Record<string, string>>, file: Buffer, key?: string): Promise<Answer>
  /** Trains a job to its end. Returns the ids of its versions, the newest first. */
  train(): Promise<{ readonly jobId: string; readonly versionIds: readonly string[] }>
  drop(): Promise<void>
}

/** The routes of model versions on their own database, with fakes of the other services. */
export async function versionApp(options: TrainingRunOptions = {}): Promise<VersionApp> {
  const run = await trainingRun(options)
  const workspaceId = randomUUID()
  const slug = `w${workspaceId.slice(0, 8)}`
  const text = 'INSERT INTO workspace (id, slug, name, created_at) VALUES ($1, $2, $2, now())'
  await run.operator.query(text, [workspaceId, slug])
  const now = () => new Date()
  const rewards: VersionApp['rewards'] = new Map()
  const { app, headersFor } = testApp({
    audience: 'training',
    now,
    routes: (router) => {
      versionRoutes(router, {
        versions: createPgVersions(run.pool),
        createVersion: (version) => createCandidateVersion(run.pool, version),
        aliases: {
          get: async () => own.alias,
          async put(_identity, body, { version }) {
            own.puts.push({ ...body, if_match: version })
            if (own.refusal !== null) throw own.refusal
            return { ...(own.alias ?? aliasWith({})), ...(body as object), version: 2 }
          },
        },
        evals: {
          async ofCandidate() {
            if (own.evalsAreDown) throw new ServiceError('service_unavailable', 'Evals cannot be read.')
            return own.evals
          },
          get: async (_identity, id) => own.evals.find((each) => each.id === id) ?? null,
          rootsOf: async () => own.evalRoots,
        },
        rewards,
        findDataset: async (_identity, id) => own.datasets.get(id) ?? null,
        jobs: createPgJobs(run.pool),
        models: { list: async () => [small] },
        poolRequests: createPgPoolRequests(run.pool),
        poolBases: new Set(['sim/base']),
        maxAdapterRank: 64,
        maxPoolVersions: 2,
        artifacts: run.artifacts,
        artifactRows: run.artifactRows,
        firstAnswers: createPgFirstAnswers(run.pool, 'training_answer'),
        importPlaces: createImportPlaces(1_000),
        pause: (ms) => pauseUnlessAborted(ms, new AbortController().signal),
        newId: randomUUID,
        now,
      })
    },
  })
  const own: VersionApp = {
    run,
    workspaceId,
    alias: null,
    puts: [],
    refusal: null,
    evals: [],
    evalsAreDown: false,
    evalRoots: [],
    datasets: new Map(),
    rewards,
    async send(method, path, body, by = workspaceId) {
      const call = request(app)
        [method](path)
        .redirects(0)
        .set(headersFor(method, path, by))
      return (await (body === undefined ? call : call.send(body))) as unknown as Answer
    },
    async upload(fields, file, key) {
      const path = '/v1/model_versions/import'
      const call = request(app)
        .post(path)
        .set(headersFor('POST', path, workspaceId))
      if (key !== undefined) call.set('Idempotency-Key', key)
      for (const [name, value] of Object.entries(fields)) call.field(name, value)
      return (await call.attach('file', file, 'adapter_model.safetensors')) as unknown as Answer
    },
    async train() {
      const jobId = await run.createJob({ workspaceId })
      const worker = run.startWorker({ jobMs: 100 })
      await eventually(async () => expect((await run.job(jobId)).status).toBe('succeeded'))
      await worker.stop()
      const found = await run.operator.query('SELECT id FROM model_version WHERE job_id = $1 ORDER BY step DESC', [
        jobId,
      ])
      return { jobId, versionIds: found.rows.map(({ id }) => `mv_${id.replaceAll('-', '')}`) }
    },
    drop: () => run.drop(),
  }
  return own
}

/** An alias as the alias service shows it. */
export function aliasWith(changes: Partial<Alias>): Alias {
  return {
    object: 'alias',
    name: 'support',
    target_model: 'sim/large',
    description: 'Answers customers.',
    canary_model: null,
    canary_percent: 0,
    gate_criterion_id: null,
    gate_mode: null,
    gate_min_samples_per_arm: 100,
    gate_rollback_threshold: 0.05,
    gate_window_hours: 72,
    gate_confidence: 0.95,
    gate_guard: null,
    sticky_by: 'trace',
    shadow_model: null,
    shadow_percent: 0,
    require_evidence: null,
    family_rules: [],
    gate_state: null,
    gate_plan: null,
    gate_plan_missing: null,
    created_at: '2026-11-21T00:00:00.000Z',
    updated_at: '2026-11-21T00:00:00.000Z',
    updated_by: 'somebody',
    version: 1,
    ...changes,
  }
}
