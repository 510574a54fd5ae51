import type { Place } from '../exchanges/exchange-reads.ts'
import { createBindings, timesOf } from '../exchanges/pg-exchange-conditions.ts'
import type { RunStatement } from '../exchanges/pg-run-read.ts'
import { keyConditions } from './pg-search-keys.ts'
import { type FoundExchange, type Walk, walkExchanges } from './pg-walk-exchanges.ts'

type DaySearch = Omit<Walk, 'rows' | 'day' | 'from' | 'to'>

interface Day {
  readonly day: string
  readonly newest: Date
  readonly blocks: number
  readonly rowsPerBlock: number
}

interface Surveyed {
  readonly found: readonly FoundExchange[]
  /** Estimated number of matches; exact when `isWhole`. */
  readonly matches: number
  readonly isWhole: boolean
}

type SurveyRow = FoundExchange & { readonly block: number }

/** A day with more matches than this has many. */
const surveyed = 200
/** Days that one survey reads at most. */
const maxDays = 30
/** Rows of a day that a walk reads at most. */
const maxWalkedRows = 20_000
/** Reading a match that the index found takes as long as walking over so many rows. */
const rowsPerMatch = 3

/**
 * Searches the index of all filters by day of expiry, beginning with the day that has the newest exchange, until no
 * other day can have a newer exchange than those found.
 */
export async function searchDays(run: RunStatement, search: DaySearch): Promise<readonly FoundExchange[]> {
  const days = await daysOf(run, search)
  let found: readonly FoundExchange[] = []
  for (let first = 0, size = 1, next = 1; first < days.length; first += size, size = next) {
    const some = days.slice(first, first + size)
    if (isEnough(found, search.maxMatches, some[0])) break
    const surveys = await surveyDays(run, search, some)
    for (const day of some) {
      if (isEnough(found, search.maxMatches, day)) break
      const survey = surveys.get(day.day)
      if (survey === undefined) continue
      const newer = found.filter(({ createdAt }) => createdAt > day.newest).length
      const more = survey.isWhole
        ? survey.found
        : await newestOf(run, { ...search, maxMatches: search.maxMatches - newer }, { day, survey })
      found = [...found, ...more].sort(newestFirst).slice(0, search.maxMatches)
    }
    next = daysNeeded(search.maxMatches, { found: found.length, days: first + size })
  }
  return found
}

/** Days to survey next: up to twice as many as so far, but no more than the matches so far suggest are needed. */
function daysNeeded(maxMatches: number, { found, days }: { readonly found: number; readonly days: number }): number {
  const expected = found === 0 ? maxDays : Math.ceil(((maxMatches - found) * days) / found) + 1
  return Math.min(2 * days + 1, expected, maxDays)
}

function isEnough(found: readonly FoundExchange[], maxMatches: number, next: Day | undefined): boolean {
  const oldest = found[maxMatches - 1]
  return next === undefined || (oldest !== undefined && next.newest < oldest.createdAt)
}

/** The days of expiry that can have matches of the workspace, the day with its newest exchange first. */
async function daysOf(
  run: RunStatement,
  { workspaceId, at, filter: { start, end }, after }: DaySearch,
): Promise<readonly Day[]> {
  const text = `
    SELECT d.day::date::text AS day, d.newest, (pg_relation_size(c.oid) / 8192)::int AS blocks,
      CASE WHEN c.relpages > 0 THEN greatest(c.reltuples, 0) / c.relpages ELSE 8 END AS "rowsPerBlock"
    FROM (
      SELECT day, (
        SELECT max(e.created_at) FROM exchange e
        WHERE e.workspace_id = $1 AND e.expires_on = day::date
          AND e.created_at < coalesce($3::timestamptz, 'infinity') AND e.created_at <= coalesce($4::timestamptz, 'infinity')
      ) AS newest
      FROM generate_series($2::date, $2::date + 100, '1 day') day
    ) d
    JOIN pg_class c ON c.oid = to_regclass('exchange_' || to_char(d.day, 'YYYYMMDD'))
    WHERE d.newest >= coalesce($5::timestamptz, '-infinity') ORDER BY d.newest DESC`
  const values = [workspaceId, at.toISOString().slice(0, 10), end, after?.createdAt, start]
  return run<Day>({ text, values, isPrepared: true })
}

/** The matches of each day, or an estimate of their number when there are many. */
async function surveyDays(
  run: RunStatement,
  search: DaySearch,
  days: readonly Day[],
): Promise<ReadonlyMap<string, Surveyed>> {
  const maxMatches = Math.max(surveyed, Math.ceil(search.maxMatches / 5))
  const bindings = createBindings()
  const { bind, values } = bindings
  const text = `
    SELECT k.created_at AS "createdAt", k.id, k.trace_id AS "traceId", d.day::text AS day, k.block
    FROM unnest(${bind(days.map(({ day }) => day))}::date[]) AS d(day)
    CROSS JOIN LATERAL (
      SELECT e.created_at, e.id, e.trace_id, (e.ctid::text::point)[0]::int AS block FROM exchange e
      WHERE e.expires_on = d.day AND ${keyConditions(search.keys, bindings)} AND ${timesOf(search, bindings)}
        ${costCondition(search, bindings)}
      LIMIT ${bind(maxMatches + 1)}
    ) k`
  const rows = await run<SurveyRow>({ text, values, isPrepared: true })
  return new Map(
    days.map((day) => [
      day.day,
      surveyOf(
        rows.filter((row) => row.day === day.day),
        day,
        maxMatches,
      ),
    ]),
  )
}

/** Matches are found in the order of blocks, so the last block reached shows which part of the day was searched. */
function surveyOf(rows: readonly SurveyRow[], { blocks }: Day, maxMatches: number): Surveyed {
  if (rows.length <= maxMatches) return { found: rows, matches: rows.length, isWhole: true }
  const reached = rows.reduce((furthest, { block }) => Math.max(furthest, block), 0) + 1
  return { found: [], matches: (rows.length * Math.max(blocks, reached)) / reached, isWhole: false }
}

interface DenseDay {
  readonly day: Day
  readonly survey: Surveyed
}

/** The newest matches of a day with many: found by a walk, unless the index is expected to be faster. */
async function newestOf(
  run: RunStatement,
  search: DaySearch,
  { day, survey }: DenseDay,
): Promise<readonly FoundExchange[]> {
  const share = survey.matches / (day.blocks * day.rowsPerBlock)
  const rows = Math.ceil((1.3 * search.maxMatches) / Math.min(share, 1))
  if (rows < Math.min(maxWalkedRows, rowsPerMatch * survey.matches)) {
    const walked = await walkExchanges(run, { ...search, from: 0, to: search.maxMatches, rows, day: day.day })
    if (walked.isWhole) return walked.found
  }
  const bindings = createBindings()
  const text = `
    SELECT e.created_at AS "createdAt", e.id, e.trace_id AS "traceId", e.expires_on::text AS day FROM exchange e
    WHERE e.expires_on = ${bindings.bind(day.day)}::date AND ${keyConditions(search.keys, bindings)}
      AND ${timesOf(search, bindings)} ${costCondition(search, bindings)}
    ORDER BY e.created_at DESC, e.id DESC LIMIT ${bindings.bind(search.maxMatches)}`
  return run<FoundExchange>({ text, values: bindings.values, isPrepared: true })
}

/** The index contains costs only in coarse steps, so the exact minimum is checked on the row. */
function costCondition({ filter: { minCostNano } }: DaySearch, { bind }: ReturnType<typeof createBindings>): string {
  return minCostNano === undefined ? '' : `AND e.cost_nano >= ${bind(minCostNano.toString())}`
}

function newestFirst(a: Place, b: Place): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1)
}
