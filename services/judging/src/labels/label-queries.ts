import type { Verdict } from '@ratchet/contracts/criteria'
import type { JudgedExchange } from '@ratchet/judge-kit/prompt/exchange'
import type { StoredCriterion } from '../criteria/criterion.ts'
import type { StoredLabel } from './label.ts'

/** All given conditions apply. */
export interface LabelFilter {
  readonly workspaceId: string
  readonly criterionId?: string | undefined
  readonly logId?: string | undefined
  readonly label?: Verdict | undefined
  readonly graderId?: string | undefined
  readonly source?: StoredLabel['source'] | undefined
  /** Inclusive. */
  readonly start?: Date | undefined
  /** Exclusive. */
  readonly end?: Date | undefined
  readonly includesSuperseded: boolean
  /** Gives the state at that time: later grades are left out, and supersede nothing. */
  readonly asOf?: Date | undefined
}

export interface LabelPage {
  readonly limit: number
  readonly offset: number
  /** The last label of the previous page. */
  readonly after?: Pick<StoredLabel, 'id' | 'createdAt'> | undefined
}

export interface LabelKey {
  readonly workspaceId: string
  readonly id: string
}

/** `known`: an equal grade was in force already. */
export type AddedLabel = { readonly kind: 'created'; readonly supersedes: boolean } | { readonly kind: 'known' }

export interface LabelSnapshot extends JudgedExchange {
  readonly sha256: string
}

export type CountedGrade = Pick<StoredLabel, 'id' | 'itemKey' | 'logId' | 'graderId' | 'label'>

export type GradeScope = Pick<StoredCriterion, 'workspaceId' | 'id' | 'unit' | 'population' | 'populationFamily'>
