import type { Place } from '../domain/exchange-reads.ts'
import { createBindings, timesOf } from './exchange-conditions.ts'
import type { RunStatement } from './run-read.ts'
import { keyConditions } from './search-keys.ts'
import { type FoundExchange, type Walk, walkExchanges } from './walk-exchanges.ts'

type DaySearch = Omit<Walk, 'rows' | 'day' | 'from' | 'to'>

interface Day {
  readonly day: string
  readonly newest: Date
  readonly blocks: number
  readonly rowsPerBlock: number
}

interface Surveyed {
  readonly found: readonly FoundExchange[]
  /** About as many match; exact when they are all found. */
  readonly matches: number
  readonly isWhole: boolean
}

type SurveyRow = FoundExchange & { readonly block: number }

/** As many matches of a day show that there are many. */
const surveyed = 200
/** Days that are asked about at a time. */
const maxDays = 30
/** No walk through a day is longer. */
const longestWalk = 20_000
/** Looking up a match that the index found takes as long as walking over so many rows. */
const rowsPerMatch = 3

/**
 * Asks the index of all filters, one day of expiry after another, from the one with the newest exchange on, until no
 * other can hold anything newer than what is found.
 */
export async function searchDays(run: RunStatement, search: DaySearch): Promise<readonly FoundExchange[]> {
  const days = await daysOf(run, search)
  let found: readonly FoundExchange[] = []
  for (let first = 0, size = 1, next = 1; first < days.length; first += size, size = next) {
    const some = days.slice(first, first + size)
    if (isEnough(found, search.most, some[0])) break
    const surveys = await surveyDays(run, search, some)
    for (const day of some) {
      if (isEnough(found, search.most, day)) break
      const survey = surveys.get(day.day)
      if (survey === undefined) continue
      const newer = found.filter(({ createdAt }) => createdAt > day.newest).length
      const more = survey.isWhole
        ? survey.found
        : await newestOf(run, { ...search, most: search.most - newer }, { day, survey })
      found = [...found, ...more].sort(newestFirst).slice(0, search.most)
    }
    next = daysNeeded(search.most, { found: found.length, days: first + size })
  }
  return found
}

/** Thrice as many as before where little is found, and no more than the days so far let expect where it is much. */
function daysNeeded(most: number, { found, days }: { readonly found: number; readonly days: number }): number {
  const expected = found === 0 ? maxDays : Math.ceil(((most - found) * days) / found) + 1
  return Math.min(2 * days + 1, expected, maxDays)
}

function isEnough(found: readonly FoundExchange[], most: number, next: Day | undefined): boolean {
  const oldest = found[most - 1]
  return next === undefined || (oldest !== undefined && next.newest < oldest.createdAt)
}

/** The days on which anything of the workspace expires that can match, the one with its newest exchange first. */
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

/** What matches on each of the days, as far as it is not many. */
async function surveyDays(
  run: RunStatement,
  search: DaySearch,
  days: readonly Day[],
): Promise<ReadonlyMap<string, Surveyed>> {
  const most = Math.max(surveyed, Math.ceil(search.most / 5))
  const bindings = createBindings()
  const { bind, values } = bindings
  const text = `
    SELECT k.created_at AS "createdAt", k.id, k.trace_id AS "traceId", d.day::text AS day, k.block
    FROM unnest(${bind(days.map(({ day }) => day))}::date[]) AS d(day)
    CROSS JOIN LATERAL (
      SELECT e.created_at, e.id, e.trace_id, (e.ctid::text::point)[0]::int AS block FROM exchange e
      WHERE e.expires_on = d.day AND ${keyConditions(search.keys, bindings)} AND ${timesOf(search, bindings)}
        ${costCondition(search, bindings)}
      LIMIT ${bind(most + 1)}
    ) k`
  const rows = await run<SurveyRow>({ text, values, isPrepared: true })
  return new Map(
    days.map((day) => [
      day.day,
      surveyOf(
        rows.filter((row) => row.day === day.day),
        day,
        most,
      ),
    ]),
  )
}

/** They were found in the order in which they are stored: how far that went tells how many there are. */
function surveyOf(rows: readonly SurveyRow[], { blocks }: Day, most: number): Surveyed {
  if (rows.length <= most) return { found: rows, matches: rows.length, isWhole: true }
  const reached = rows.reduce((furthest, { block }) => Math.max(furthest, block), 0) + 1
  return { found: [], matches: (rows.length * Math.max(blocks, reached)) / reached, isWhole: false }
}

interface DenseDay {
  readonly day: Day
  readonly survey: Surveyed
}

/** The newest matches of a day that has many: by walking, unless they are so few that the index is faster. */
async function newestOf(
  run: RunStatement,
  search: DaySearch,
  { day, survey }: DenseDay,
): Promise<readonly FoundExchange[]> {
  const share = survey.matches / (day.blocks * day.rowsPerBlock)
  const rows = Math.ceil((1.3 * search.most) / Math.min(share, 1))
  if (rows < Math.min(longestWalk, rowsPerMatch * survey.matches)) {
    const walked = await walkExchanges(run, { ...search, from: 0, to: search.most, rows, day: day.day })
    if (walked.isWhole) return walked.found
  }
  const bindings = createBindings()
  const text = `
    SELECT e.created_at AS "createdAt", e.id, e.trace_id AS "traceId", e.expires_on::text AS day FROM exchange e
    WHERE e.expires_on = ${bindings.bind(day.day)}::date AND ${keyConditions(search.keys, bindings)}
      AND ${timesOf(search, bindings)} ${costCondition(search, bindings)}
    ORDER BY e.created_at DESC, e.id DESC LIMIT ${bindings.bind(search.most)}`
  return run<FoundExchange>({ text, values: bindings.values, isPrepared: true })
}

/** The index knows costs only by their steps. */
function costCondition({ filter: { minCostNano } }: DaySearch, { bind }: ReturnType<typeof createBindings>): string {
  return minCostNano === undefined ? '' : `AND e.cost_nano >= ${bind(minCostNano.toString())}`
}

function newestFirst(a: Place, b: Place): number {
  return b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1)
}
