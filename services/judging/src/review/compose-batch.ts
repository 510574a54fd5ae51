import { createHash } from 'node:crypto'
import type { Verdict } from '@ratchet/contracts/criteria'
import { samplingBucket } from '@ratchet/stats/deterministic-sample'
import { openClassesOfRound } from '@ratchet/stats/forecast-round'
import { chooseCandidates, type OpenStratum, plannedStratum } from '../labels/choose-candidates.ts'
import { rankIn } from '../labels/grading-frames.ts'
import type { ItemKind, RoundShares } from './round.ts'

export interface BatchItem {
  readonly kind: ItemKind
  /** UUID; null for known items. */
  readonly logId: string | null
  readonly stratum: string | null
  /** UUID of the grade whose content is shown again; null for items of the frame. */
  readonly labelId: string | null
}

export interface GradedBefore {
  readonly logId: string
  readonly stratum: string
  readonly labelId: string
  /** Number of items that the person was given since. */
  readonly since: number
}

export interface KnownItem {
  readonly labelId: string
  readonly verdict: Verdict
}

export interface BatchFacts {
  readonly roundId: string
  readonly graderId: string
  readonly count: number
  readonly shares: RoundShares
  /** Of the frame; items that are given out count as graded. */
  readonly strata: readonly OpenStratum[]
  /** Items that one other person has, and nobody else. `isUnsure`: that person could not decide. */
  readonly ofOthers: readonly { readonly logId: string; readonly stratum: string; readonly isUnsure: boolean }[]
  /** Items of the person that were not shown again. */
  readonly own: readonly GradedBefore[]
  /** Items that were settled by others and are not of the person. */
  readonly known: readonly KnownItem[]
  /** What the person was given before, by kind. */
  readonly given: Readonly<Record<ItemKind, number>>
  readonly knownFails: number
}

/** So many other items lie between two sights of one item. */
const minBetween = 30

/**
 * The next items of a person, mixed so that neither the place nor the kind of an item tells its verdict. Items of the frame
 * come from the strata that narrow the intervals most, and each stratum in its random order.
 */
export function composeBatch(facts: BatchFacts): readonly BatchItem[] {
  const { count, shares, given, roundId, graderId } = facts
  const total = given.new + given.double + given.again + given.known + count
  const most = Math.ceil(count / 3)
  const known = knownItems(facts, Math.min(most, dueOf(total, shares.known, given.known)))
  const again = againItems(facts, Math.min(most, dueOf(total, shares.again, given.again)))
  const left = Math.max(0, count - known.length - again.length)
  // A person who is new to the round meets what others graded, so that their agreement is known early.
  const isFirst = total === count
  const doubles = doubleItems(facts, isFirst ? left : Math.ceil(left / 2))
  const fresh = newItems(facts, left - doubles.length)
  const others = doubleItems(facts, left - fresh.length).slice(doubles.length)
  const order = (item: BatchItem) => hashOf(roundId, graderId, item.logId ?? item.labelId ?? '')
  return [...known, ...again, ...doubles, ...fresh, ...others].toSorted((one, other) =>
    order(one) < order(other) ? -1 : 1,
  )
}

/** How many of a kind are due, so that its share of all items is reached and not exceeded; more when some were missing. */
function dueOf(total: number, percent: number, given: number): number {
  return Math.max(0, Math.floor((total * percent) / 100) - given)
}

/** Half of them fails: people find what they have met. */
function knownItems({ known, knownFails, given, roundId, graderId }: BatchFacts, due: number): readonly BatchItem[] {
  const ranked = known.toSorted((one, other) =>
    hashOf(roundId, graderId, one.labelId) < hashOf(roundId, graderId, other.labelId) ? -1 : 1,
  )
  const of = { fail: ranked.filter(({ verdict }) => verdict === 'fail'), pass: ranked.filter(isPassed) }
  let fails = knownFails
  let passes = given.known - knownFails
  const taken: BatchItem[] = []
  while (taken.length < due) {
    const item = (fails <= passes ? of.fail : of.pass).shift() ?? of.fail.shift() ?? of.pass.shift()
    if (item === undefined) break
    if (item.verdict === 'fail') fails += 1
    else passes += 1
    taken.push({ kind: 'known', logId: null, stratum: null, labelId: item.labelId })
  }
  return taken
}

function isPassed({ verdict }: KnownItem): boolean {
  return verdict === 'pass'
}

function againItems({ own, roundId, graderId }: BatchFacts, due: number): readonly BatchItem[] {
  return own
    .filter(({ since }) => since >= minBetween)
    .toSorted((one, other) =>
      hashOf(roundId, 'again', graderId, one.logId) < hashOf(roundId, 'again', graderId, other.logId) ? -1 : 1,
    )
    .slice(0, due)
    .map(({ logId, stratum, labelId }) => ({ kind: 'again', logId, stratum, labelId }))
}

/** What one person could not decide goes to another one, because an item without a grade counts as an error of the judge. */
function doubleItems({ ofOthers, roundId, shares }: BatchFacts, max: number): readonly BatchItem[] {
  const rank = rankIn(roundId)
  return ofOthers
    .filter(({ logId, isUnsure }) => isUnsure || isDouble(roundId, logId, shares.double))
    .toSorted((one, other) => (rank(one.logId) < rank(other.logId) ? -1 : 1))
    .slice(0, Math.max(0, max))
    .map(({ logId, stratum }) => ({ kind: 'double', logId, stratum, labelId: null }))
}

/** Whether two people grade an item: by a hash that has nothing to do with the order of the strata. */
export function isDouble(roundId: string, logId: string, percent: number): boolean {
  return samplingBucket(`${roundId}:double`, logId) < percent * 100
}

function newItems({ strata, roundId }: BatchFacts, limit: number): readonly BatchItem[] {
  const openClasses = openClassesOfRound(strata.map(plannedStratum))
  return chooseCandidates(strata, 'plan', { limit, openClasses, rank: rankIn(roundId) }).map(({ logId, stratum }) => ({
    kind: 'new',
    logId,
    stratum,
    labelId: null,
  }))
}

function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join(':')).digest('hex')
}
