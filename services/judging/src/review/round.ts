import type { Verdict } from '@ratchet/contracts/criteria'
import type { SampleFilters } from '@ratchet/contracts/internal-logs'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { JudgeRun } from '../runs/judge-run.ts'

/** A round of review. Its run, which buys the verdicts, and its frame have the same id. */
export interface Round {
  readonly id: string
  readonly workspaceId: string
  readonly criterionId: string
  readonly challengerId: string | null
  /** That of the judge. */
  readonly unit: StoredCriterion['unit']
  readonly shares: RoundShares
  readonly createdBy: string
  readonly createdAt: Date
  readonly closedAt: Date | null
  readonly run: Pick<JudgeRun, 'status' | 'error' | 'rowsTotal' | 'result'>
}

/** A person who grades in a round. */
export interface Grader {
  readonly round: Round
  readonly graderId: string
}

/** Percentages of the items of a person. */
export interface RoundShares {
  /** Of items of the frame that two people grade. */
  readonly double: number
  /** Of items that the same person grades again. */
  readonly again: number
  /** Of items that two people settled before. */
  readonly known: number
}

/** What the run of a round was requested with. */
export interface RoundRequest {
  readonly filters: SampleFilters
  readonly frameRows: number
  readonly challengerId: string | null
  readonly shares: RoundShares
}

/** What the run of a round has found. */
export interface RoundResult {
  readonly matched: number
  /** Items of the frame. */
  readonly frameRows: number
  /** Items that got no verdict, and are not in the frame. */
  readonly unjudged: number
}

export type ItemKind = 'new' | 'double' | 'again' | 'known'
export type Answer = Verdict | 'unsure'

export function roundStatus({ closedAt, run }: Pick<Round, 'closedAt' | 'run'>) {
  if (run.status === 'FAILED' || run.status === 'VOIDED') return 'failed'
  if (closedAt !== null) return 'closed'
  return run.status === 'DONE' ? 'open' : 'preparing'
}

/** How long a batch is held without a sign of life. */
export const leaseMs = 600_000
export const roundMethod = 'round'
