import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from '@ratchet/db/connect-pool'
import { aliasConfig, connectAlias } from '@ratchet/judge-kit/fleet/connect-alias'
import { connectEval, evalConfig } from '@ratchet/judge-kit/fleet/connect-eval'
import type { FleetContext } from '@ratchet/judge-kit/fleet/connect-fleet'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { createPgFirstAnswers } from '@ratchet/work-kit/answers/pg-first-answers'
import { z } from 'zod'
import { createPgRunProgress } from './grpo/progress/pg-progress.ts'
import { createGrpoRewards } from './grpo/reward-facts.ts'
import { createPgRuns } from './grpo/runs/pg-runs.ts'
import { createPgRoundAudits } from './raft/pg-round-audits.ts'
import { createPgRounds } from './raft/pg-rounds.ts'
import { createRaftRewards } from './raft/reward-facts.ts'
import { poolConfig, startPoolRequests } from './start-pool.ts'
import { createAliasCalls } from './versions/alias-calls.ts'
import { createImportPlaces } from './versions/import-places.ts'
import { createCandidateVersion } from './versions/pg-create-version.ts'
import { createFindDataset } from './versions/read-traces.ts'
import type { RewardSource } from './versions/reward-source.ts'
import type { VersionRouteDeps } from './versions/routes.ts'
import { createVersionEvals } from './versions/version-evals.ts'

/** Where evals and aliases are read and changed. */
export const versionsConfig = { ...aliasConfig, ...evalConfig }
const VersionsConfig = z.object({ ...versionsConfig, ...poolConfig })

interface VersionParts
  extends Pick<VersionRouteDeps, 'jobs' | 'versions' | 'models' | 'artifacts' | 'artifactRows' | 'now' | 'newId'> {
  readonly pool: Pool
  readonly logging: FleetClient
  readonly caller: FleetContext
}

/** What the routes of model versions need. */
export function startVersions(
  config: z.output<typeof VersionsConfig>,
  { pool, logging, caller, ...parts }: VersionParts,
): VersionRouteDeps {
  return {
    ...parts,
    ...startPoolRequests(config, pool),
    createVersion: (version) => createCandidateVersion(pool, version),
    aliases: createAliasCalls(connectAlias(config, caller)),
    evals: createVersionEvals(connectEval(config, caller)),
    rewards: new Map<'grpo' | 'raft', RewardSource>([
      ['grpo', createGrpoRewards({ runs: createPgRuns(pool), progress: createPgRunProgress(pool) })],
      ['raft', createRaftRewards({ rounds: createPgRounds(pool), audits: createPgRoundAudits(pool) })],
    ]),
    findDataset: createFindDataset(logging),
    firstAnswers: createPgFirstAnswers(pool, 'training_answer'),
    importPlaces: createImportPlaces(),
    pause: (ms) => wait(ms),
  }
}
