import type { ExchangeFilter } from '../domain/exchange-reads.ts'
import { createBindings, type Requested, timesOf } from './exchange-conditions.ts'
import type { RunStatement } from './run-read.ts'

type Flag = 'cached' | 'canary' | 'has_tool_calls'

/** The flag that has to be false, where nothing else is asked but a time. */
export function onlyFalseFlag({ start: _start, end: _end, ...facts }: ExchangeFilter): Flag | null {
  const [first, ...others] = Object.entries(facts).filter(([, value]) => value !== undefined)
  if (first === undefined || others.length > 0 || first[1] !== false) return null
  if (facts.cached === false) return 'cached'
  return facts.canary === false ? 'canary' : 'has_tool_calls'
}

/**
 * Counts up to `most` exchanges without a flag: no index holds these, but one holds all and one those with it.
 *
 * @returns null when the newest of them, thrice `most`, do not tell
 */
export async function countWithout(
  run: RunStatement,
  requested: Requested,
  { flag, most }: { flag: Flag; most: number },
) {
  const bindings = createBindings()
  const { bind, values } = bindings
  const scope = `e.workspace_id = ${bind(requested.workspaceId)} AND ${timesOf(requested, bindings)}`
  const rows = 3 * most
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
  return count >= most || newest < rows ? Math.min(count, most) : null
}
