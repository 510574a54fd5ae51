import type { Identity } from '@ratchet/contracts/identity'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import type { StoredAlias } from '../aliases/alias.ts'
import type { GateJudge } from './gate-judge.ts'
import type { CanaryStore } from './pg-canary.ts'

export interface CollectVerdictsDeps {
  readonly now: () => Date
  readonly canary: Pick<CanaryStore, 'openSamples' | 'gradableSamples' | 'saveOutcomes' | 'saveGrades'>
  readonly log: Pick<LogReader, 'entry' | 'readRuns'>
  readonly judging: Pick<FleetClient, 'call'>
}

export interface Judged {
  readonly alias: StoredAlias
  readonly identity: Identity
  readonly judge: GateJudge
}
