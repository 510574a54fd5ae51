import type { Verdict } from '@ratchet/contracts/criteria'
import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'

/** `shadow`: of what a mirror answered, in place of the answer that was served. */
export type JudgementSource = 'online' | 'scan' | 'calibration' | 'gate' | 'improvement' | 'drift_replay' | 'shadow'

/** What a judgement is about: an entry of the log, or what was kept of one when it was graded. */
export type JudgedItem =
  | { readonly kind: 'log'; readonly logId: string }
  | { readonly kind: 'snapshot'; readonly snapshotId: string }

/** A look of a judge at an item that is still to be taken. */
export interface PlannedJudgement {
  /** UUID made of what it is about, so that planning twice is planning once. */
  readonly id: string
  readonly workspaceId: string
  readonly criterionId: string
  readonly runId: string | null
  readonly source: JudgementSource
  /** Of the criterion when it was planned. */
  readonly instrument: number
  /** Null for the criterion's own. */
  readonly judgePrompt: string | null
  /** What is judged in place of the item's own answer; null for that one. */
  readonly judgedResponse: ExchangeMessage | null
  readonly item: JudgedItem
  readonly labelId: string | null
  /** What people say of the item; null where nobody is asked. */
  readonly human: Verdict | null
  /** 1 / the probability with which the item was chosen; > 0. */
  readonly weight: number
  readonly stratum: string | null
  readonly segment: string
  readonly tag: string | null
  /** Whether the monitor looks at what a canary answered: that tells of the canary, not of the judge's own traffic. */
  readonly isCanary: boolean
  /** When the exchange was made. */
  readonly itemAt: Date | null
  /** When the exchange is forgotten, and the judgement with it; null for what is kept. */
  readonly expiresAt: Date | null
  readonly createdAt: Date
}

/** A planned judgement that this process has taken on. */
export interface LeasedJudgement extends PlannedJudgement {
  /** Which taking on it is: what a former one still does is ignored. */
  readonly generation: number
  /** Times that it was tried and failed. */
  readonly failures: number
  readonly prompt: string
  readonly judgeModel: string
  /** The criterion's instrument now. */
  readonly currentInstrument: number
  /** False for monitoring that was turned off meanwhile, and for the gate of a judge that was retired. */
  readonly isRequested: boolean
  /** User on whose word it is done. */
  readonly askedBy: string
  /** What it may not spend beyond; null where only the wallet limits it. */
  readonly spendCap: JudgingCap | null
}

/** A ceiling on what judgements cost together: a criterion's for a week of monitoring and gates, or a run's. */
export interface JudgingCap {
  /** UUID of the criterion or the run. */
  readonly id: string
  readonly capNano: bigint
  readonly windowStart: Date
  /** When there is money again; null for never. */
  readonly windowEnd: Date | null
}

/**
 * Why there is no verdict: none to be read, nothing left to judge, too much to judge, a provider that declines, or a run
 * that has spent what it may.
 */
export type JudgementFailure = 'unparseable' | 'gone' | 'too_large' | 'refused' | 'over_cap'

/** What came of it. */
export interface JudgementOutcome {
  readonly verdict: Verdict | null
  /** Null exactly where there is a verdict. */
  readonly failure: JudgementFailure | null
  readonly explanation: string | null
  /** As the provider calls what answered. */
  readonly judgeModelResolved: string | null
  readonly judgeFingerprint: string | null
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  readonly costNano: bigint
}

export interface DoneJudgement extends PlannedJudgement, JudgementOutcome {
  readonly judgedAt: Date
}

/** The judgements, which are the work and its results in one. */
export interface JudgementStore {
  /** Adds those that are not there yet and gives their ids. */
  plan(judgements: readonly PlannedJudgement[]): Promise<readonly string[]>
  /** Takes one on until the lease ends; null when it is done, not due, or somebody else has it. */
  lease(id: string, leaseMs: number): Promise<LeasedJudgement | null>
  /** Makes the lease end later; false when it was lost. */
  renew(judgement: Pick<LeasedJudgement, 'id' | 'generation'>, leaseMs: number): Promise<boolean>
  /** Keeps the outcome, unless the lease was lost meanwhile. */
  complete(judgement: Pick<LeasedJudgement, 'id' | 'generation'>, outcome: JudgementOutcome, at: Date): Promise<boolean>
  /** Gives it back, to be tried again after `delayMs`; `poisoned` for good. */
  release(judgement: Pick<LeasedJudgement, 'id' | 'generation'>, outcome: ReleaseOutcome): Promise<void>
  /** Ids of work that should have been done by now. */
  overdue(limit: number): Promise<readonly string[]>
  /** Whether judgements of the run are under way whose ids come before this one's: what they hold may come free. */
  hasEarlierUnderWay(judgement: Pick<LeasedJudgement, 'id' | 'runId'>): Promise<boolean>
  /** Whether nothing of a run is still to be judged. */
  isOver(runId: string): Promise<boolean>
  /** How far a run is. */
  progressOf(runId: string): Promise<RunProgress>
  /** All of a run, in order of their ids. */
  ofRun(runId: string): AsyncIterable<DoneJudgement>
}

export interface ReleaseOutcome {
  readonly error: string
  readonly delayMs: number
  readonly poisoned: boolean
  /** False for what was not tried at all. */
  readonly countsAsFailure: boolean
}

export interface RunProgress {
  readonly total: number
  /** With a verdict or a reason why there is none. */
  readonly done: number
  readonly poisoned: number
  /** Nano-dollars. */
  readonly costNano: bigint
}
