import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { createFairPlaces, type FairPlaces, unlimitedPlaces } from '@ratchet/service-kit/timing/fair-places'

/** Maximum sizes of a curation, whose digests are in memory until it ends. */
export interface CurationSize {
  readonly matched: number
  /** Earlier answers in all conversations. */
  readonly earlier: number
  /** Of the contents that are read. */
  readonly bytes: number
}

/** A few seconds, and some ten megabytes. */
export const smallCuration: CurationSize = { matched: 5_000, earlier: 25_000, bytes: 64 * mebibyte }
/** About a minute, and some hundred megabytes, of which the earlier answers are 160. */
export const largestCuration: CurationSize = { matched: 100_000, earlier: 500_000, bytes: Number.POSITIVE_INFINITY }

/** Every curation begins in a place for small ones. One that turns out large begins again, in a place for large ones. */
export interface CurationPlaces {
  readonly small: FairPlaces
  readonly large: FairPlaces
}

/** One of each of a workspace at a time. Large curations of others never delay a small one. */
export function createCurationPlaces(): CurationPlaces {
  const common = { maxOfOwner: 1, maxWaitMs: 30_000, maxWaiting: { ofOwner: 8, ofAll: 64 } }
  return { small: createFairPlaces({ places: 8, ...common }), large: createFairPlaces({ places: 4, ...common }) }
}

/** For callers without limits. */
export const unlimitedCuration: CurationPlaces = { small: unlimitedPlaces, large: unlimitedPlaces }
