import type { Verdict } from '@ratchet/contracts/criteria'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { NewLabel, StoredLabel } from './label.ts'

/** Which grades are meant: all conditions that are there hold. */
export interface LabelFilter {
  readonly workspaceId: string
  readonly criterionId?: string | undefined
  readonly logId?: string | undefined
  readonly label?: Verdict | undefined
  readonly graderId?: string | undefined
  readonly source?: StoredLabel['source'] | undefined
  /** Given then or later. */
  readonly start?: Date | undefined
  /** Given before. */
  readonly end?: Date | undefined
  readonly includesSuperseded: boolean
  /** As things were then: what was given later is not there, and has superseded nothing. */
  readonly asOf?: Date | undefined
}

export interface LabelPage {
  readonly limit: number
  readonly offset: number
  /** The last one of the page before. */
  readonly after?: Pick<StoredLabel, 'id' | 'createdAt'> | undefined
}

export interface LabelKey {
  readonly workspaceId: string
  readonly id: string
}

/** What became of a grade: kept, in the place of another where there was one, or known before. */
export type AddedLabel = { readonly kind: 'created'; readonly supersedes: boolean } | { readonly kind: 'known' }

/** What was graded, with its hash. */
export interface LabelSnapshot extends JudgedExchange {
  readonly sha256: string
}

/** A grade that counts for a criterion. */
export type CountedGrade = Pick<StoredLabel, 'id' | 'itemKey' | 'logId' | 'graderId' | 'label'>

/** The exchanges of whose grades one asks. */
export type GradeScope = Pick<StoredCriterion, 'workspaceId' | 'id' | 'unit' | 'population' | 'populationFamily'>

/** The grades: they are only ever added, and one is in force for each criterion, item and grader. */
export interface LabelStore {
  /**
   * Adds grades of one workspace, all or none, in their order, each taking the place of what its grader said before.
   * With `skipsKnown` one that says what is in force anyway is left out; keys are unique then.
   */
  add(labels: readonly NewLabel[], options: { readonly skipsKnown: boolean }): Promise<readonly AddedLabel[]>
  get(key: LabelKey): Promise<StoredLabel | null>
  /** Those of the ids that are there, in no order. */
  several(workspaceId: string, ids: readonly string[]): Promise<readonly StoredLabel[]>
  /** The newest first. */
  page(filter: LabelFilter, page: LabelPage): Promise<readonly StoredLabel[]>
  /** How many there are, counted to `most`. */
  count(filter: LabelFilter, most: number): Promise<number>
  /** By their ids. */
  snapshots(workspaceId: string, ids: readonly string[]): Promise<ReadonlyMap<string, LabelSnapshot>>
  /** Those in force that count for a criterion: its own, and for items without any those of the exchange as a whole. */
  countedFor(scope: GradeScope): Promise<readonly CountedGrade[]>
  /** Distinct items with a grade in force. */
  countGradedItems(workspaceId: string): Promise<number>
}
