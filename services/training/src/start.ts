import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { publicId } from '@ratchet/contracts/public-id'
import type { Pool } from '@ratchet/db/connect-pool'
import { requestTimeouts } from '@ratchet/db/connect-process-pool'
import { createChecks } from '@ratchet/judge-kit/checks/create-checks'
import { connectFleet, fleetConfig } from '@ratchet/judge-kit/fleet/connect-fleet'
import { createJudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import { calleeConfig, readCallee } from '@ratchet/service-kit/identity/caller-keys'
import { httpServiceConfig } from '@ratchet/service-kit/process/config'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { type AppParts, startApi } from '@ratchet/work-kit/processes/start-api'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createApp } from './app.ts'
import { createPgArtifactRows } from './artifacts/pg-artifact-rows.ts'
import { createJobTokens } from './attempts/job-token.ts'
import { createPgAttempts } from './attempts/pg-attempts.ts'
import { createSurveys } from './data/data-reading.ts'
import { createSourceReader } from './data/source-reader.ts'
import { createJudgeDirectory } from './grpo/rewards/judge-directory.ts'
import { createPgJobs } from './jobs/pg-jobs.ts'
import { createPgProgress } from './jobs/pg-progress.ts'
import { readWork } from './jobs/pg-work.ts'
import { createHttpJobMoney } from './money/http-job-money.ts'
import { artifactConfig, createArtifacts, secretsOf } from './start-artifacts.ts'
import { startDedicatedApi } from './start-dedicated.ts'
import { startDistillApi } from './start-distill.ts'
import { hardwareConfig } from './start-engines.ts'
import { connectJudging, judgingConfig, startGrpoApi, startGrpoSteps } from './start-grpo.ts'
import { poolConfig } from './start-pool.ts'
import { startRaftApi } from './start-raft.ts'
import { startToolApi, startToolCalls, toolsConfig } from './start-tools.ts'
import { slotsOf, trainerConfig, trainerLimits } from './start-trainers.ts'
import { startVersions, versionsConfig } from './start-versions.ts'
import { createModelDirectory } from './trainable-models/model-directory.ts'
import { servedByOf } from './trainable-models/served-by.ts'
import { createPgVersions } from './versions/pg-versions.ts'

export const TrainingConfig = z.object({
  ...httpServiceConfig,
  ...fleetConfig,
  ...versionsConfig,
  ...calleeConfig,
  ...artifactConfig,
  ...trainerConfig,
  ...toolsConfig,
  ...judgingConfig,
  ...hardwareConfig,
  ...poolConfig,
})
export type TrainingConfig = z.output<typeof TrainingConfig>

/** Concurrent connections to each other service. */
const fleetConnections = 16
/** Between two reads of a stream of events, milliseconds. */
const followEveryMs = 500

/** Starts the API of fine-tuning jobs, which trainers call too, and resolves with the port it is bound to. */
export function startTraining(config: TrainingConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const context = { config, logger, lifecycle }
  const database = { role: 'ratchet_training', max: 12, ...requestTimeouts } as const
  return startApi({ name: 'training', database, readWork }, context, (parts, pool) =>
    createTrainingApp(context, parts, pool),
  )
}

interface TrainingContext {
  readonly config: TrainingConfig
  readonly logger: Logger
  readonly lifecycle: Lifecycle
}

function createTrainingApp({ config, logger, lifecycle }: TrainingContext, parts: AppParts, pool: Pool): Express {
  const { now, newId } = parts
  const caller = { ...lifecycle, now, connections: fleetConnections }
  const { inference, logging } = connectFleet(config, caller)
  const slots = slotsOf(config)
  const judging = connectJudging(config, { ...lifecycle, now })
  const jobs = createPgJobs(pool)
  const onUncovered = () => logger.error({ event: 'training_cost_uncovered' }, 'a part of a cost was not charged')
  const { artifacts, signer } = createArtifacts(config, { now, newId })
  const artifactRows = createPgArtifactRows(pool)
  const models = createModelDirectory(inference, new Set(slots.keys()))
  const tokens = createJobTokens(secretsOf(config))
  const judgeExchange = createJudgeExchange({ inference, now, ...createChecks(caller.onStop) })
  const shared = {
    jobs,
    models,
    artifacts,
    artifactRows,
    versions: createPgVersions(pool),
    money: createHttpJobMoney({ inference, delay: (ms) => delay(ms), random: Math.random, onUncovered }),
    sources: createSourceReader(logging),
    reading: createSurveys(),
    judges: createJudgeDirectory(judging),
    newSeed: () => randomInt(2_147_483_648),
    toolCalls: startToolCalls(config, { pool, now }),
  }
  return createApp({
    ...parts,
    ...shared,
    modelVersions: startVersions(config, { ...shared, pool, logging, now, newId, caller }),
    progress: createPgProgress(pool),
    async occupancy() {
      const { running, queued } = await jobs.count()
      const capacityOf = (name: string, total: number) => ({
        total,
        free: Math.max(0, total - (running.get(name) ?? 0)),
      })
      return { capacities: new Map([...slots].map(([name, total]) => [name, capacityOf(name, total)])), queued }
    },
    servedBy: servedByOf({
      poolBases: new Set(config.POOL_MODELS.map(({ baseModel }) => baseModel)),
      hardware: config.DEDICATED_HARDWARE,
    }),
    distill: startDistillApi({ pool, inference, logging, judging, now, newId }),
    raft: startRaftApi({ ...shared, pool, inference, logging, judging, now, newId }),
    dedicated: startDedicatedApi({
      pool,
      inference,
      models,
      versions: shared.versions,
      hardware: config.DEDICATED_HARDWARE,
      newId,
    }),
    followEveryMs,
    signer,
    tools: startToolApi(config, { pool, now, newId, logging }),
    attempts: createPgAttempts(pool),
    tokens,
    grpo: startGrpoApi({ ...shared, pool, inference, judging, judgeExchange, now, newId }),
    ...startGrpoSteps({ ...shared, pool, judging, newId, now, tokens, limits: trainerLimits }),
    limits: trainerLimits,
    jobIdOf: (uuid) => publicId('fineTuningJob', uuid),
    ...readCallee(config),
  })
}
