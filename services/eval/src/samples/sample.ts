import type { EvalOutcome } from '@ratchet/contracts/evals'
import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import type { EvalRun } from '../runs/eval-run.ts'
import type { MeasuredSample, Preference } from './measured-sample.ts'

/** What every model is asked. */
export interface EvalPrompt {
  readonly messages: readonly ExchangeMessage[]
  readonly tools: readonly unknown[] | null
  readonly responseFormat: unknown
}

/** What the stored answer had cost and taken. */
export interface RecordedFigures {
  /** Nano-dollars; null where nobody knows. */
  readonly costNano: string | null
  readonly latencyMs: number | null
}

/** Where a prompt comes from, and what is asked and was answered there. */
export interface DrawnPrompt {
  /** Samples with the same one are not independent: the prompt, or the agent run. */
  readonly cluster: string
  /** UUID. */
  readonly logId: string | null
  readonly traceId: string | null
  readonly stepIndex: number | null
  /** When its texts are to be forgotten; null for what is kept. */
  readonly expiresAt: Date | null
  readonly prompt: EvalPrompt
  /** The stored answer. */
  readonly reference: ExchangeMessage | null
  readonly recorded: RecordedFigures | null
}

export interface PlannedSample extends DrawnPrompt {
  /** UUID made of the eval and its place, so that drawing twice is drawing once. */
  readonly id: string
  readonly position: number
  /** From 0. */
  readonly repetition: number
}

/** What a model answered, or why it did not. */
export interface KeptAnswer {
  /** 0 is the baseline, the candidates follow. */
  readonly modelIndex: number
  /** Null without an answer. */
  readonly message: ExchangeMessage | null
  /** Null exactly where there is an answer. */
  readonly error: string | null
  /** Whether it is the stored answer: nothing was asked, and nothing billed. */
  readonly isRecorded: boolean
  /** Null for a stored answer of which nobody knows what it had cost. */
  readonly costNano: bigint | null
  readonly latencyMs: number | null
  readonly assertions: Readonly<Record<string, boolean>>
}

/**
 * Why there is no preference: none to be read, too much to be shown, or a judge that declines. An unfinished look was
 * answered once, without a verdict, and is to be asked again.
 */
export type LookFailure = 'unparseable' | 'too_large' | 'refused' | 'unfinished'

/** A look of the judge at the baseline and one candidate. */
export interface KeptLook {
  readonly candidateIndex: number
  /** Whether the candidate was shown first. */
  readonly isSwapped: boolean
  readonly preference: Preference | null
  /** Null exactly where there is a preference. */
  readonly failure: LookFailure | null
  readonly explanation: string | null
  readonly costNano: bigint
}

/** Why nothing came of a sample: its texts are gone, or the eval has spent what it may. */
export type SampleFailure = 'gone' | 'over_cap'

/** A sample that this process has taken on, with what earlier attempts came to. */
export interface LeasedSample extends Omit<PlannedSample, 'prompt'> {
  /** Null once it was forgotten. */
  readonly prompt: EvalPrompt | null
  readonly run: Pick<EvalRun, 'id' | 'workspaceId' | 'request' | 'judge' | 'maxCostNano' | 'createdBy' | 'createdAt'>
  /** Which taking on it is: what a former one still does is ignored. */
  readonly generation: number
  /** Times that it was tried and failed. */
  readonly failures: number
  readonly answers: readonly KeptAnswer[]
  readonly looks: readonly KeptLook[]
}

/** What a list shows of a sample that is done. */
export interface DoneSample extends Omit<PlannedSample, 'prompt'> {
  readonly prompt: EvalPrompt | null
  readonly answers: readonly KeptAnswer[]
  readonly looks: readonly KeptLook[]
  /** One for each candidate; empty for a sample that was given up. */
  readonly outcomes: readonly EvalOutcome[]
  readonly error: string | null
}

export interface SampleFilter {
  readonly runId: string
  readonly outcome?: EvalOutcome | undefined
  /** Whose outcome; any candidate's when absent. */
  readonly candidateIndex?: number | undefined
  readonly limit: number
  readonly offset: number
}

export interface SampleRelease {
  readonly error: string
  readonly delayMs: number
  readonly isPoisoned: boolean
  readonly countsAsFailure: boolean
}

type Lease = Pick<LeasedSample, 'id' | 'generation'>

/** The samples, which are the work and its results in one. */
export interface SampleStore {
  /** Takes one on until the lease ends; null when it is done, not due, somebody else's, or its eval is over. */
  lease(id: string, leaseMs: number): Promise<LeasedSample | null>
  renew(sample: Lease, leaseMs: number): Promise<void>
  /** Keeps what a model answered; the first answer stays. */
  keepAnswer(sample: Pick<LeasedSample, 'id' | 'run'>, answer: KeptAnswer): Promise<void>
  /** Keeps what a judge said; the first look that is no unfinished one stays. */
  keepLook(sample: Pick<LeasedSample, 'id' | 'run'>, look: KeptLook): Promise<void>
  /** Ends it, unless the lease was lost meanwhile. */
  complete(sample: Lease, end: SampleEnd): Promise<boolean>
  /** Gives it back, to be tried again or given up. */
  release(sample: Lease, fate: SampleRelease): Promise<void>
  /** Ids of work that should have been done by now. */
  overdue(limit: number): Promise<readonly string[]>
  /** Ids of the samples of an eval that are to be done: every prompt once, then every prompt again. */
  pending(runId: string): Promise<readonly string[]>
  /** Which other samples of the eval are under way: what they hold of the cap may come free. */
  othersUnderWay(sample: Pick<LeasedSample, 'id' | 'run'>): Promise<OthersUnderWay>
  /** Whether nothing of an eval is still to be done; of one that was cancelled, nothing is still under way. */
  isOver(runId: string): Promise<boolean>
  /** What became of each sample, in their order; of one that is not done, nothing. */
  measured(runId: string): Promise<readonly MeasuredSample[]>
  /** How many ended because the eval has spent what it may. */
  countOverCap(runId: string): Promise<number>
  list(where: SampleFilter): Promise<{ readonly total: number; readonly samples: readonly DoneSample[] }>
}

export interface OthersUnderWay {
  readonly hasAny: boolean
  /** Whether one is among them whose id comes before: of all that wait for each other, one has to go on. */
  readonly hasEarlier: boolean
}

export interface SampleEnd {
  readonly outcomes: readonly EvalOutcome[]
  readonly failure: SampleFailure | null
}

/** What of evals is forgotten with the log. */
export interface ForgettingStore {
  /** Forgets the texts of samples whose log entries expired; how many. */
  forgetExpired(): Promise<number>
  /** Log entries, by UUID, that samples still hold texts of, in order; behind `after`. */
  heldLogs(after: HeldLog | null, limit: number): Promise<readonly HeldLog[]>
  /** Forgets the texts of samples of these entries. */
  forget(logs: readonly HeldLog[]): Promise<void>
}

export interface HeldLog {
  readonly workspaceId: string
  readonly logId: string
}
