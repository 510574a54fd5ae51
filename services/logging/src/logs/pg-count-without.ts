import type { ExchangeFilter } from '../exchanges/exchange-reads.ts'
import { createBindings, type Requested, timesOf } from '../exchanges/pg-exchange-conditions.ts'
import type { RunStatement } from '../exchanges/pg-run-read.ts'

type Flag = 'cached' | 'canary' | 'has_tool_calls'

/** The flag that must be false when the filter has only this flag and a time range; otherwise null. */
export function onlyFalseFlag({ start: _start, end: _end, ...facts }: ExchangeFilter): Flag | null {
  const [first, ...others] = Object.entries(facts).filter(([, value]) => value !== undefined)
  if (first === undefined || others.length > 0 || first[1] !== false) return null
  if (facts.cached === false) return 'cached'
  return facts.canary === false ? 'canary' : 'has_tool_calls'
}

/**
 * Counts up to `maxMatches` exchanges for which a flag is false. No index lists these, but one lists all exchanges and
 * another those with the flag: the count is the difference.
 *
 * @returns null when the newest rows, three times `maxMatches`, do not suffice
 */
export async function countWithout(
  run: RunStatement,
  requested: Requested,
  { flag, maxMatches }: { flag: Flag; maxMatches: number },
) {
  const bindings = createBindings()
  const { bind, values } = bindings
  const scope = `e.workspace_id = ${bind(requested.workspaceId)} AND ${timesOf(requested, bindings)}`
  const rows = 3 * maxMatches
  const text = `
    WITH newest AS MATERIALIZED (
      SELECT e.created_at, e.id FROM exchange e WHERE ${scope}
      ORDER BY e.created_at DESC, e.id DESC LIMIT ${bind(rows)}
    ), last AS MATERIALIZED (
      SELECT created_at, id FROM newest ORDER BY created_at, id LIMIT 1
    )
    SELECT (SELECT count(*) FROM newest)::int AS newest, (
      SELECT count(*) FROM exchange e
      WHERE ${scope} AND e.${flag} AND (e.created_at, e.id) >= ((SELECT created_at FROM last), (SELECT id FROM last))
    )::int AS flagged`
  const [counted] = await run<{ newest: number; flagged: number }>({ text, values, isPrepared: true })
  const { newest, flagged } = counted ?? { newest: 0, flagged: 0 }
  const count = newest - flagged
  return count >= maxMatches || newest < rows ? Math.min(count, maxMatches) : null
}
