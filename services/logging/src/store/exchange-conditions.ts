import type { ExchangeFilter, Place, ReadScope } from '../domain/exchange-reads.ts'

/** The values of a statement, each under its number. */
export interface Bindings {
  readonly values: unknown[]
  /** The placeholder of one more value. */
  bind(value: unknown): string
}

export function createBindings(): Bindings {
  const values: unknown[] = []
  return { values, bind: (value) => `$${values.push(value)}` }
}

/** Whose exchanges of a filter are meant. */
export interface Requested extends ReadScope {
  readonly filter: ExchangeFilter
  /** Only what follows this place in the list. */
  readonly after?: Place | null
}

/** What holds for the rows of `exchange e` that are meant, their words apart. */
export function conditionsOf(requested: Requested, bindings: Bindings): string {
  return [
    `e.workspace_id = ${bindings.bind(requested.workspaceId)}`,
    timesOf(requested, bindings),
    ...factsOf(requested, bindings),
  ].join(' AND ')
}

/** When they were created, and that they have not expired. */
export function timesOf({ at, filter: { start, end }, after = null }: Requested, { bind }: Bindings): string {
  const conditions = [`e.expires_at > ${bind(at)}`]
  if (start !== undefined) conditions.push(`e.created_at >= ${bind(start)}`)
  if (end !== undefined) conditions.push(`e.created_at < ${bind(end)}`)
  // Newest first: what comes later in the list comes before it in time.
  if (after !== null)
    conditions.push(`(e.created_at, e.id) < (${bind(after.createdAt)}::timestamptz, ${bind(after.id)}::uuid)`)
  return conditions.join(' AND ')
}

/** What else is said of them; empty when nothing is. */
export function factsOf({ filter }: Pick<Requested, 'filter'>, { bind }: Bindings): readonly string[] {
  const conditions: string[] = []
  const equal = (column: string, value: string | undefined) => {
    if (value !== undefined) conditions.push(`e.${column} = ${bind(value)}`)
  }
  const is = (column: string, value: boolean | undefined) => {
    // Not a value of its own: the indexes hold only what it is true for.
    if (value !== undefined) conditions.push(value ? `e.${column}` : `NOT e.${column}`)
  }
  equal('served_model', filter.model)
  equal('tag', filter.tag)
  equal('segment', filter.segment)
  equal('finish_reason', filter.finishReason)
  equal('trace_id', filter.traceId)
  equal('alias', filter.alias)
  is('cached', filter.cached)
  is('canary', filter.canary)
  is('has_tool_calls', filter.hasToolCalls)
  if (filter.minCostNano !== undefined) conditions.push(`e.cost_nano >= ${bind(filter.minCostNano.toString())}`)
  return conditions
}

/** Whether one index lists just the rows that a filter names, the newest first: then it needs no search. */
export function isListed({
  start: _start,
  end: _end,
  cached,
  canary,
  hasToolCalls,
  ...others
}: ExchangeFilter): boolean {
  const { words, minCostNano } = others
  const flags = [cached, canary, hasToolCalls].filter((flag) => flag !== undefined)
  const named = [...flags, ...Object.values(others)].filter((value) => value !== undefined)
  return named.length <= 1 && words === undefined && minCostNano === undefined && !flags.includes(false)
}
