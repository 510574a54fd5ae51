import type { RunStatement } from './run-read.ts'
import { searchDays } from './search-days.ts'
import { type Finding, searchKeys } from './search-keys.ts'
import { type FoundExchange, walkExchanges } from './walk-exchanges.ts'

export interface Search extends Finding {
  /** Places in the list of what matches: those from `from` on, before `to`, are wanted. */
  readonly from: number
  readonly to: number
  /** How far matches are counted; at least to `to`. */
  readonly most: number
}

export interface Found {
  readonly requested: readonly FoundExchange[]
  /** Counted to `most`. */
  readonly matches: number
}

/** Rows that are looked at before an index is asked. */
const firstRows = 2_000
/** So few matches are looked at one by one where the index of costs names them. */
const fewCosts = 1_000
/** And once more as many as those show to be needed, unless it is more than this and twice the matches. */
const moreRows = 4_000

/**
 * The newest exchanges that fulfil whatever is asked of them. Where many do, a short walk finds them; where few do, the
 * index of all filters knows them. Neither depends on what the planner believes of the values.
 */
export async function searchExchanges(run: RunStatement, search: Search): Promise<Found> {
  const { from, to, most } = search
  const keys = await searchKeys(run, search)
  if (keys.words?.length === 0) return { requested: [], matches: 0 }
  if (search.filter.minCostNano !== undefined) {
    const costly = await walkExchanges(run, { ...search, keys, rows: fewCosts, isByCost: true })
    if (costly.isWhole) return { requested: costly.found, matches: Math.min(costly.matches, most) }
  }
  // A sample, where so many are wanted that a longer walk follows anyway.
  const first = most > firstRows ? firstRows / 2 : Math.max(firstRows, 3 * most)
  for (let rows = first; rows <= moreRows + 2 * most; ) {
    const walked = await walkExchanges(run, { ...search, keys, rows })
    if (walked.isWhole) return { requested: walked.found, matches: Math.min(walked.matches, most) }
    if (rows > first) break
    rows = Math.ceil((1.1 * most * first) / walked.matches)
  }
  const found = await searchDays(run, { ...search, keys })
  return { requested: found.slice(from, to), matches: found.length }
}
