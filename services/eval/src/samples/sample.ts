import type { EvalOutcome } from '@ratchet/contracts/evals'
import type { ExchangeMessage } from '@ratchet/judge-kit/prompt/exchange'
import type { ItemStore, Lease, LeasedItem } from '@ratchet/work-kit/leases/leased-item'
import type { PairVerdict } from '../judging/pair-verdict.ts'
import type { EvalRun } from '../runs/eval-run.ts'
import type { MeasuredSample } from './measured-sample.ts'

/** The prompt that every model gets. */
export interface EvalPrompt {
  readonly messages: readonly ExchangeMessage[]
  readonly tools: readonly unknown[] | null
  readonly responseFormat: unknown
}

/** Cost and latency of the stored answer. */
export interface RecordedFigures {
  /** Nano-dollars; null when unknown. */
  readonly costNano: string | null
  readonly latencyMs: number | null
}

/** A prompt that was drawn from a source, with its stored answer. */
export interface DrawnPrompt {
  /** The prompt, or the agent run. Samples of one cluster are not independent. */
  readonly cluster: string
  /** UUID of the log entry; null for a dataset. */
  readonly logId: string | null
  readonly traceId: string | null
  readonly stepIndex: number | null
  /** Family of the system prompt; null for a dataset. */
  readonly segment: string | null
  /** When the texts must be deleted; null when they never expire. */
  readonly expiresAt: Date | null
  readonly prompt: EvalPrompt
  /** The stored answer. */
  readonly reference: ExchangeMessage | null
  readonly recorded: RecordedFigures | null
}

export interface PlannedSample extends DrawnPrompt {
  /** UUID made from the eval and the position, so that drawing twice gives the same samples. */
  readonly id: string
  readonly position: number
  /** From 0. */
  readonly repetition: number
}

/** The result of calling one model. */
export interface ModelAnswer {
  /** 0 is the baseline; the candidates follow. */
  readonly modelIndex: number
  /** Null without an answer. */
  readonly message: ExchangeMessage | null
  /** Null exactly when there is an answer. */
  readonly error: string | null
  /** Whether it is the stored answer, for which no model was called and nothing billed. */
  readonly isRecorded: boolean
  /** Null for a stored answer of unknown cost. */
  readonly costNano: bigint | null
  readonly latencyMs: number | null
  readonly assertions: Readonly<Record<string, boolean>>
}

/** Why a sample failed: its texts were deleted, or the spend cap of the eval is reached. */
export type SampleFailure = 'gone' | 'over_cap'

/** A sample that this process has leased, with the results of earlier attempts. */
export interface LeasedSample extends Omit<PlannedSample, 'prompt'>, LeasedItem {
  /** Null after its texts were deleted. */
  readonly prompt: EvalPrompt | null
  readonly run: Pick<EvalRun, 'id' | 'workspaceId' | 'request' | 'judge' | 'maxCostNano' | 'createdBy' | 'createdAt'>
  /** The spend cap did not cover it, and earlier samples held a part of the cap: it must not hold money before its turn. */
  readonly waitsForCap: boolean
  readonly answers: readonly ModelAnswer[]
  readonly verdicts: readonly PairVerdict[]
}

/** A sample whose texts were not deleted. */
export interface SampleWithPrompt extends LeasedSample {
  readonly prompt: EvalPrompt
}

/** A finished sample, as the API lists it. */
export interface DoneSample extends Omit<PlannedSample, 'prompt'> {
  readonly prompt: EvalPrompt | null
  readonly answers: readonly ModelAnswer[]
  readonly verdicts: readonly PairVerdict[]
  /** One for each candidate. */
  readonly outcomes: readonly EvalOutcome[]
  readonly disputed: boolean
  readonly error: string | null
}

export interface SampleFilter {
  readonly runId: string
  readonly outcome?: EvalOutcome | undefined
  /** The candidate whose outcome is filtered by; any candidate when absent. */
  readonly candidateIndex?: number | undefined
  /** Only samples about which the judges of a panel differ, or do not. */
  readonly disputed?: boolean | undefined
  /** Only samples in which a judge preferred another answer when the order was swapped, or did not. */
  readonly inconsistent?: boolean | undefined
  readonly limit: number
  readonly offset: number
}

export interface SampleEnd {
  readonly outcomes: readonly EvalOutcome[]
  readonly failure: SampleFailure | null
  /** Whether the judges of a panel differ about a candidate; false when absent. */
  readonly disputed?: boolean
}

/** Other samples of the same eval that are leased now. */
export interface OthersInProgress {
  /** Whether one of them may hold money that it releases. One that waits for the spend cap holds none. */
  readonly mayRelease: boolean
  /** Whether one of them has a smaller id. Of samples that wait for each other, the one with the smallest id continues. */
  readonly hasEarlier: boolean
}

/** Samples are work items and results in one row. A sample is only leased while its eval is RUNNING. */
export interface SampleStore extends ItemStore<LeasedSample> {
  /** Saves an answer. The first one saved wins. */
  saveAnswer(sample: Pick<LeasedSample, 'id' | 'run'>, answer: ModelAnswer): Promise<void>
  /** Saves a verdict. It replaces only an unfinished one. */
  saveVerdict(sample: Pick<LeasedSample, 'id' | 'run'>, verdict: PairVerdict): Promise<void>
  /** Ends the sample. False when the lease was lost. */
  complete(sample: Lease, end: SampleEnd): Promise<boolean>
  /** Ids of the pending samples of an eval: every prompt once, then every prompt a second time, and so on. */
  pending(runId: string): Promise<readonly string[]>
  /** Other samples in progress may hold a part of the spend cap that becomes available later. */
  othersInProgress(sample: Pick<LeasedSample, 'id' | 'run'>): Promise<OthersInProgress>
  /** Saves whether a sample waits for the spend cap. */
  setWaitsForCap(sample: Lease, waits: boolean): Promise<void>
  /** Whether no sample of an eval is unfinished. For a cancelled eval: whether none is in progress. */
  isOver(runId: string): Promise<boolean>
  /** Measurements of all samples except skipped ones, in their order; those of unfinished samples are empty. */
  measured(runId: string): Promise<readonly MeasuredSample[]>
  /** Cost of each judge of a panel so far, nano-dollars, by its place. */
  judgeCosts(runId: string): Promise<ReadonlyMap<number, bigint>>
  /** Number of samples that no worker will change again. */
  countFinished(runId: string): Promise<number>
  /** Number of samples that were skipped because the eval had answered its question. */
  countSkipped(runId: string): Promise<number>
  /** Number of samples that ended because the spend cap was reached. */
  countOverCap(runId: string): Promise<number>
  list(where: SampleFilter): Promise<{ readonly total: number; readonly samples: readonly DoneSample[] }>
}
