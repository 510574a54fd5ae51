import type { RunStatement } from '../exchanges/pg-run-read.ts'
import { searchDays } from './pg-search-days.ts'
import { type Finding, searchKeys } from './pg-search-keys.ts'
import { type FoundExchange, walkExchanges } from './pg-walk-exchanges.ts'

export interface Search extends Finding {
  /** The range of matches to return: from index `from`, before index `to`. */
  readonly from: number
  readonly to: number
  /** Matches are counted up to this number, which is at least `to`. */
  readonly maxMatches: number
}

export interface Found {
  readonly requested: readonly FoundExchange[]
  /** Counted up to `maxMatches`. */
  readonly matches: number
}

/** Rows that the first walk reads, before the index of all filters is searched. */
const firstRows = 2_000
/** Rows that are read in the index of costs at most. */
const maxCostRows = 1_000
/** A second, longer walk reads at most this many rows and twice the matches. */
const maxMoreRows = 4_000

/**
 * Finds the newest exchanges that match any combination of filters. When many match, a short walk over the newest rows
 * finds enough; when few match, the index of all filters finds them. Neither depends on the planner's statistics.
 */
export async function searchExchanges(run: RunStatement, search: Search): Promise<Found> {
  const { from, to, maxMatches } = search
  const keys = await searchKeys(run, search)
  if (keys.words?.length === 0) return { requested: [], matches: 0 }
  if (search.filter.minCostNano !== undefined) {
    const costly = await walkExchanges(run, { ...search, keys, rows: maxCostRows, isByCost: true })
    if (costly.isWhole) return { requested: costly.found, matches: Math.min(costly.matches, maxMatches) }
  }
  // For a high maximum a longer walk follows in any case, so the first walk only samples.
  const first = maxMatches > firstRows ? firstRows / 2 : Math.max(firstRows, 3 * maxMatches)
  for (let rows = first; rows <= maxMoreRows + 2 * maxMatches; ) {
    const walked = await walkExchanges(run, { ...search, keys, rows })
    if (walked.isWhole) return { requested: walked.found, matches: Math.min(walked.matches, maxMatches) }
    if (rows > first) break
    rows = Math.ceil((1.1 * maxMatches * first) / walked.matches)
  }
  const found = await searchDays(run, { ...search, keys })
  return { requested: found.slice(from, to), matches: found.length }
}
