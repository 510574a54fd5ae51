import type { RaftStatus } from '@ratchet/contracts/raft'
import type { StartRaftRound } from '@ratchet/contracts/session-raft'
import type { Share } from '@ratchet/work-kit/leases/leased-item'
import type { GrpoPrompt } from '../grpo/runs/read-prompts.ts'
import type { FrozenJudge } from '../grpo/runs/run-settings.ts'

export type RoundPrompt = GrpoPrompt

/** A status in which a round works. */
export type RoundStage = Exclude<RaftStatus, 'done' | 'failed' | 'cancelled'>

/** Which answers: those that are chosen from, and those to held out prompts before and after the training. */
export type SamplePart = 'train' | 'before' | 'after'

/** Answers to each held out prompt, before and after. */
export const heldOutSamples = 4

export interface RoundSettings {
  readonly request: StartRaftRound
  readonly seed: number
  /** Number of prompts that are chosen from. */
  readonly prompts: number
}

/** What was found out about the answers of a round. */
export interface Curation {
  readonly generated: number
  readonly judged: number
  readonly accepted: number
  readonly promptsAllFail: number
  readonly promptsAllPass: number
  /** Null when nothing was accepted. */
  readonly precision: number | null
  readonly precisionCi: readonly [number, number] | null
  /** Share of triples of words that are distinct, within the answers to a prompt. */
  readonly distinct: number | null
  /** The same, compared with the first round of the chain. */
  readonly distinctRatio: number | null
  readonly kept: number
  readonly real: number
}

export interface HoldoutRates {
  readonly before: number
  readonly after: number
  /** 95 % interval of the difference. */
  readonly ci: readonly [number, number]
}

export interface RoundKey {
  readonly workspaceId: string
  /** UUID. */
  readonly id: string
}

export interface Round extends RoundKey {
  readonly status: RaftStatus
  readonly stage: RoundStage
  readonly statusMessage: string | null
  readonly errorCode: string | null
  readonly name: string | null
  readonly baseModel: string
  readonly startModel: string
  /** UUID of the version that answers; null for the base. */
  readonly startVersionId: string | null
  readonly chainId: string
  readonly roundIndex: number
  readonly previousRoundId: string | null
  /** Null for prompts of the log. */
  readonly sourceDatasetId: string | null
  readonly datasetId: string | null
  readonly settings: RoundSettings
  /** One or two. */
  readonly judges: readonly FrozenJudge[]
  readonly warnings: readonly string[]
  readonly curation: Curation | null
  readonly holdout: HoldoutRates | null
  readonly jobId: string | null
  readonly jobNumber: number
  readonly modelVersionId: string | null
  readonly maxCostNano: bigint
  readonly createdBy: string
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

/** A round with what is counted of its answers, and what it has cost. */
export interface ShownRound extends Round {
  readonly generated: number
  readonly judged: number
  readonly accepted: number
  /** Public id of the eval of its version; null before it has begun. */
  readonly evalId: string | null
  /** Answers, verdicts and the job. */
  readonly costNano: bigint
}

export type NewRound = Pick<
  Round,
  | 'id'
  | 'workspaceId'
  | 'name'
  | 'baseModel'
  | 'startModel'
  | 'startVersionId'
  | 'chainId'
  | 'roundIndex'
  | 'previousRoundId'
  | 'sourceDatasetId'
  | 'settings'
  | 'judges'
  | 'warnings'
  | 'maxCostNano'
  | 'createdBy'
  | 'createdAt'
> & {
  readonly train: readonly RoundPrompt[]
  readonly heldOut: readonly RoundPrompt[]
}

/** A round that a worker has leased. */
export interface DrivenRound extends Round {
  readonly generation: number
  /** Tries since it last advanced. */
  readonly attempts: number
}

export interface RoundFilter {
  readonly workspaceId: string
  readonly status?: RaftStatus | undefined
  /** UUIDs. */
  readonly criterionId?: string | undefined
  readonly chainId?: string | undefined
  readonly limit: number
  readonly offset: number
}

export interface RoundFailure {
  readonly code: string
  readonly message: string
}

/** Rounds as the API reads and changes them. */
export interface RoundStore {
  /** False when another round of the chain has not ended. */
  create(round: NewRound): Promise<boolean>
  get(round: RoundKey): Promise<ShownRound | null>
  list(filter: RoundFilter): Promise<{ readonly total: number; readonly rounds: readonly ShownRound[] }>
  /** Rounds of a chain that are done, the first one first. */
  doneOfChain(chain: { readonly workspaceId: string; readonly chainId: string }): Promise<readonly Round[]>
  /** Rounds of a workspace that have not ended. */
  countUnfinished(workspaceId: string): Promise<number>
  /** False when it has ended. */
  cancel(round: RoundKey, at: Date): Promise<boolean>
  /** From where it stopped. A job that ended is replaced by another one. False when it has not stopped, or another round of the chain works. */
  resume(round: RoundKey): Promise<boolean>
}

export interface SampleKey {
  readonly part: SamplePart
  readonly promptIndex: number
  readonly sampleIndex: number
}

export interface OpenSample extends SampleKey {
  readonly prompt: RoundPrompt
  /** Null before it is answered. */
  readonly completion: Readonly<Record<string, unknown>> | null
}

export interface JudgedSample extends SampleKey {
  readonly completion: Readonly<Record<string, unknown>> | null
  /** Whether every judge passed it; null when one gave no verdict, or there is no answer. */
  readonly accepted: boolean | null
}

/** Rounds as workers change them. Nothing is changed once the lease is lost. */
export interface RoundWork {
  take(share: Share, leaseMs: number): Promise<readonly DrivenRound[]>
  renew(round: DrivenRound, leaseMs: number): Promise<void>
  release(round: DrivenRound, release: { readonly delayMs: number; readonly hasFailed: boolean }): Promise<void>
  /** Samples in this state, at most so many. */
  open(round: RoundKey, state: 'asked' | 'answered', limit: number): Promise<readonly OpenSample[]>
  /** How many are open. */
  countOpen(round: RoundKey): Promise<{ readonly asked: number; readonly answered: number }>
  answer(round: RoundKey, sample: SampleKey, answer: StoredAnswer): Promise<void>
  judge(round: RoundKey, sample: SampleKey, judged: StoredVerdicts): Promise<void>
  samples(round: RoundKey, part: SamplePart): Promise<readonly JudgedSample[]>
  prompts(round: RoundKey): Promise<readonly RoundPrompt[]>
  /** Costs of samples, and those of the part before. */
  costs(
    round: RoundKey,
  ): Promise<{ readonly samplesNano: bigint; readonly beforeNano: bigint; readonly jobNano: bigint }>
  /** Makes it possible that people grade these answers. A repetition changes nothing. */
  keep(round: RoundKey, kept: readonly KeptSample[]): Promise<void>
  /** Adds the answers that are to be asked for after the training. */
  addAfter(round: RoundKey): Promise<void>
  /** The newest version of a job; null when it has none. */
  version(job: RoundKey): Promise<TrainedVersion | null>
  /** What answers as a version; null when nothing does. */
  servedAs(version: RoundKey): Promise<string | null>
  /** Waits for something: says what. */
  say(round: DrivenRound, message: string | null): Promise<void>
  /** Adds what users should know. */
  warn(round: DrivenRound, message: string): Promise<void>
  advance(round: DrivenRound, to: RoundStage, changes?: RoundChanges): Promise<boolean>
  finish(round: DrivenRound, holdout: HoldoutRates | null, message: string | null, at: Date): Promise<boolean>
  fail(round: DrivenRound, failure: RoundFailure, changes: RoundChanges, at: Date): Promise<boolean>
}

/** An answer that the round trains on. */
export interface KeptSample extends Pick<SampleKey, 'promptIndex' | 'sampleIndex'> {
  /** UUID under which people grade it. */
  readonly auditId: string
}

export interface TrainedVersion {
  readonly id: string
  /** What requests for it name: the model of its provider, else its own name, under which engines serve it. */
  readonly model: string
}

export interface RoundChanges {
  readonly curation?: Curation
  readonly datasetId?: string
  readonly jobId?: string
  readonly modelVersionId?: string | null
}

export interface StoredAnswer {
  /** Null: it never will be answered. */
  readonly completion: Readonly<Record<string, unknown>> | null
  readonly costNano: bigint
}

export interface StoredVerdicts {
  readonly verdict: 'pass' | 'fail' | null
  /** Null also when it was not asked. */
  readonly secondVerdict: 'pass' | 'fail' | null
  readonly costNano: bigint
}

export function isOver({ status }: Pick<Round, 'status'>): boolean {
  return status === 'done' || status === 'failed' || status === 'cancelled'
}
