import { setTimeout as delay } from 'node:timers/promises'
import type { TrainerLimits } from '@ratchet/contracts/trainer-spec'
import type { Pool } from '@ratchet/db/connect-pool'
import { createFitsSchema } from '@ratchet/judge-kit/checks/create-checks'
import { createModelCatalog } from '@ratchet/judge-kit/fleet/create-model-catalog'
import type { JudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import { createSchemaChecks } from '@ratchet/judge-kit/schemas/schema-checks'
import { type CallerContext, connectService } from '@ratchet/service-kit/fleet/connect-service'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { CallerKeys } from '@ratchet/service-kit/identity/caller-keys'
import { z } from 'zod'
import type { ArtifactStore } from './artifacts/artifact-store.ts'
import type { AttemptRouteDeps } from './attempts/routes.ts'
import type { ToolCalls } from './environment-tools/tool-calls.ts'
import type { GrpoDeps } from './grpo/app.ts'
import type { JudgeStepDeps } from './grpo/judging/judge-step.ts'
import { createPgJudging } from './grpo/judging/pg-judging.ts'
import { createPgRunProgress } from './grpo/progress/pg-progress.ts'
import { createJudgeDirectory } from './grpo/rewards/judge-directory.ts'
import { createPgRuns } from './grpo/runs/pg-runs.ts'
import { createPgSteps } from './grpo/steps/pg-steps.ts'
import type { StepRouteDeps } from './grpo/steps/routes.ts'
import { runSpec } from './grpo/steps/run-spec.ts'
import type { JobRouteDeps } from './jobs/routes.ts'
import { availableIn } from './money/require-cover.ts'

/** Address of the service judging, and the keys that sign identities for it. */
export const judgingConfig = {
  JUDGING_URL: z.url({ protocol: /^https?$/ }),
  JUDGING_KEYS: CallerKeys,
}
const JudgingConfig = z.object(judgingConfig)

const judgingConnections = 4

export function connectJudging(config: z.output<typeof JudgingConfig>, context: CallerContext): FleetClient {
  const { JUDGING_URL: url, JUDGING_KEYS: keys } = config
  return connectService({ audience: 'judging', url, keys, connections: judgingConnections }, context)
}

export interface GrpoContext
  extends Pick<JobRouteDeps, 'models' | 'versions' | 'sources' | 'reading' | 'money' | 'now' | 'newId' | 'newSeed'> {
  readonly toolCalls: ToolCalls
  readonly pool: Pool
  readonly inference: FleetClient
  readonly judging: FleetClient
  readonly judgeExchange: JudgeExchange
}

/** The endpoints of GRPO runs. */
export function startGrpoApi({ pool, inference, judging, ...context }: GrpoContext): GrpoDeps {
  const schemas = createSchemaChecks()
  return {
    ...context,
    runs: createPgRuns(pool),
    runProgress: createPgRunProgress(pool),
    catalog: createModelCatalog(inference),
    inference,
    judges: createJudgeDirectory(judging),
    available: availableIn(inference),
    schemaProblem: schemas.problem,
    fitsSchema: createFitsSchema(schemas),
  }
}

export interface GrpoStepContext extends Pick<GrpoContext, 'toolCalls' | 'pool' | 'judging' | 'newId' | 'now'> {
  readonly tokens: StepRouteDeps['tokens']
  readonly artifacts: Pick<ArtifactStore, 'signDownload'>
  readonly limits: z.output<typeof TrainerLimits>
}

/** What trainers of runs call. */
export function startGrpoSteps({ pool, judging, toolCalls, newId, now, tokens, artifacts, limits }: GrpoStepContext): {
  readonly steps: StepRouteDeps
  readonly runSpec: AttemptRouteDeps['runSpec']
} {
  const steps = createPgSteps(pool)
  const stepDeps = { steps, runs: createPgRuns(pool), judges: createJudgeDirectory(judging), toolCalls, newId }
  return {
    steps: { stepDeps, tokens, delay: (ms) => delay(ms) },
    runSpec: (attempt) => runSpec({ artifacts, limits, steps, toolCalls, now }, attempt),
  }
}

export interface GrpoWorkContext
  extends Pick<GrpoContext, 'pool' | 'judgeExchange' | 'toolCalls'>,
    Pick<JudgeStepDeps, 'onFailure'> {}

/** What judges the steps of runs. */
export function startGrpoJudging({ pool, judgeExchange, toolCalls, onFailure }: GrpoWorkContext): JudgeStepDeps {
  return {
    store: createPgJudging(pool),
    runs: createPgRuns(pool),
    judgeExchange,
    toolCalls,
    fitsSchema: createFitsSchema(),
    onFailure,
  }
}
