import type { Pool } from '@ratchet/db/connect-pool'
import { createModelCatalog } from '@ratchet/judge-kit/fleet/create-model-catalog'
import type { JudgeExchange } from '@ratchet/judge-kit/fleet/judge-exchange'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { createSurveys } from './data/data-reading.ts'
import { createSourceReader } from './data/source-reader.ts'
import { createJudgeDirectory } from './grpo/rewards/judge-directory.ts'
import type { JobStore } from './jobs/job-store.ts'
import type { JobMoney } from './money/job-money.ts'
import { availableIn } from './money/require-cover.ts'
import type { AdvanceRoundDeps } from './raft/advance-round.ts'
import { createPgRoundAudits } from './raft/pg-round-audits.ts'
import { createPgRoundWork } from './raft/pg-round-work.ts'
import { createPgRounds } from './raft/pg-rounds.ts'
import type { RoundRouteDeps } from './raft/routes.ts'
import type { ModelDirectory } from './trainable-models/model-directory.ts'
import { createPgVersions } from './versions/pg-versions.ts'

export interface RaftContext {
  readonly pool: Pool
  readonly inference: FleetClient
  readonly logging: FleetClient
  readonly judging: FleetClient
  readonly models: ModelDirectory
  readonly jobs: JobStore
  readonly now: () => Date
}

export interface RaftApiContext extends RaftContext {
  readonly newId: () => string
  readonly newSeed: () => number
}

/** The endpoints of rounds. */
export function startRaftApi(context: RaftApiContext): RoundRouteDeps {
  const { pool, inference, logging, judging, models, jobs, now, newId, newSeed } = context
  const work = createPgRoundWork(pool)
  return {
    rounds: createPgRounds(pool),
    audits: createPgRoundAudits(pool),
    versions: createPgVersions(pool),
    catalog: createModelCatalog(inference),
    logging,
    promptsOf: work.prompts,
    jobs,
    models,
    sources: createSourceReader(logging),
    reading: createSurveys(),
    judges: createJudgeDirectory(judging),
    servedAs: async ({ workspaceId, id }) => work.servedAs({ workspaceId, id }),
    available: availableIn(inference),
    now,
    newId,
    newSeed,
  }
}

/** Nobody waits for an estimate here. */
const noOccupancy = async () => ({ capacities: new Map(), queued: new Map() })

export interface RaftWorkContext extends RaftContext {
  readonly judgeExchange: JudgeExchange
  readonly money: JobMoney
  readonly bringToServe: AdvanceRoundDeps['bringToServe']
  readonly onFailure: AdvanceRoundDeps['onFailure']
}

/** What advances rounds. */
export function startRaftWork(context: RaftWorkContext): AdvanceRoundDeps {
  const { pool, inference, logging, judging, models, jobs, judgeExchange, money, bringToServe, now, onFailure } =
    context
  return {
    purpose: 'raft',
    work: createPgRoundWork(pool),
    rounds: createPgRounds(pool),
    judges: createJudgeDirectory(judging),
    judgeExchange,
    sources: createSourceReader(logging),
    reading: createSurveys(),
    inference,
    logging,
    models,
    versions: createPgVersions(pool),
    jobs,
    money,
    bringToServe,
    occupancy: noOccupancy,
    now,
    onFailure,
  }
}
