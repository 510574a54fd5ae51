import type { Verdict } from '@ratchet/contracts/criteria'
import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import type { ItemStore, Lease, LeasedItem } from '@ratchet/work-kit/leases/leased-item'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { RunKind } from '../runs/judge-run.ts'

/** `shadow`: of the answer of a shadow, instead of the served answer. `repeat`: a second time of a row of a calibration. */
export type JudgementSource =
  | 'online'
  | 'scan'
  | 'calibration'
  | 'gate'
  | 'improvement'
  | 'drift_replay'
  | 'shadow'
  | 'cascade'
  | 'repeat'

/** An entry of the log, a run in the log, or the snapshot of a graded exchange or run. */
export type JudgedItem =
  | { readonly kind: 'log'; readonly logId: string }
  | JudgedRun
  | { readonly kind: 'snapshot'; readonly snapshotId: string }

export interface JudgedRun {
  readonly kind: 'run'
  readonly traceId: string
  /** UUIDs of the log entries that were the steps of the run when it was planned, in order; at least one. */
  readonly stepIds: readonly string[]
}

/** The UUID of a log entry or the trace id of a run; null for a snapshot. */
export function loggedIdOf(item: JudgedItem): string | null {
  switch (item.kind) {
    case 'log':
      return item.logId
    case 'run':
      return item.traceId
    case 'snapshot':
      return null
  }
}

export interface PlannedJudgement {
  /** UUID derived from the content, so that planning twice adds one row. */
  readonly id: string
  readonly workspaceId: string
  readonly criterionId: string
  readonly runId: string | null
  readonly source: JudgementSource
  /** The criterion's instrument when it was planned. */
  readonly instrument: number
  /** Null for the criterion's own prompt. */
  readonly judgePrompt: string | null
  /** Judged instead of the item's own answer; null for the item's own. */
  readonly judgedResponse: ExchangeMessage | null
  readonly item: JudgedItem
  readonly labelId: string | null
  /** The verdict of people; null for items without grades. */
  readonly human: Verdict | null
  /** The probability with which the item was chosen; 0 < p <= 1. */
  readonly samplingProbability: number
  readonly stratum: string | null
  readonly segment: string
  readonly tag: string | null
  /** Whether the monitor judges an answer of a canary. Drift excludes these. */
  readonly isCanary: boolean
  readonly itemAt: Date | null
  /** When the exchange expires, and the judgement with it; null for a snapshot, which does not expire. */
  readonly expiresAt: Date | null
  readonly createdAt: Date
}

export interface LeasedJudgement extends PlannedJudgement, LeasedItem {
  readonly prompt: string
  /** Whether the item is judged as an exchange or as a run. */
  readonly unit: StoredCriterion['unit']
  readonly judgeModel: string
  /** Null when a model judges. */
  readonly checks: StoredCriterion['checks']
  /** The criterion's instrument now. */
  readonly currentInstrument: number
  /** False if monitoring was turned off meanwhile, or the judge of a gate or of a drift panel was retired. */
  readonly isRequested: boolean
  /** Null for a judgement of no run. */
  readonly runKind: RunKind | null
  /** Id of a user. */
  readonly requestedBy: string
  /** Null when only the wallet limits the cost. */
  readonly spendCap: JudgingCap | null
}

/** A spend cap: of a criterion, for one week of monitoring and gates, or of a run. */
export interface JudgingCap {
  /** UUID of the criterion or the run. */
  readonly id: string
  readonly capNano: bigint
  readonly windowStart: Date
  /** When the cap applies anew; null for never. */
  readonly windowEnd: Date | null
}

/**
 * Why there is no verdict: an unreadable answer, a missing exchange or outdated judgement, a too large exchange, a refusal
 * by the provider, or a run at its spend cap.
 */
export type JudgementFailure = 'unparseable' | 'gone' | 'too_large' | 'refused' | 'over_cap'

export interface JudgementOutcome {
  readonly verdict: Verdict | null
  /** Null if and only if there is a verdict. */
  readonly failure: JudgementFailure | null
  readonly explanation: string | null
  /** The name of the model that the provider reported. */
  readonly judgeModelResolved: string | null
  readonly judgeFingerprint: string | null
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  readonly costNano: bigint
}

export interface DoneJudgement extends PlannedJudgement, JudgementOutcome {
  readonly judgedAt: Date
}

/** A judgement is a work item and its result in one row. */
export interface JudgementStore extends ItemStore<LeasedJudgement> {
  /** Adds those that do not exist yet, and gives their ids. */
  plan(judgements: readonly PlannedJudgement[]): Promise<readonly string[]>
  /** Saves the outcome. False when the lease was lost. */
  complete(judgement: Lease, outcome: JudgementOutcome, at: Date): Promise<boolean>
  /** Whether judgements of the same run with lower ids are running; they may release a part of their holds. */
  hasEarlierUnderWay(judgement: Pick<LeasedJudgement, 'id' | 'runId'>): Promise<boolean>
  /** Whether other judgements of the same judge are running. */
  hasOthersUnderWay(judgement: Pick<LeasedJudgement, 'id' | 'workspaceId' | 'criterionId'>): Promise<boolean>
  /** Whether no judgement of a run is pending or leased. */
  isOver(runId: string): Promise<boolean>
  progressOf(runId: string): Promise<RunProgress>
  /** Done judgements of a run, ordered by id. */
  ofRun(runId: string): AsyncIterable<DoneJudgement>
}

export interface RunProgress {
  readonly total: number
  /** With a verdict or a reason why there is none. */
  readonly done: number
  readonly deadLettered: number
  readonly costNano: bigint
}
