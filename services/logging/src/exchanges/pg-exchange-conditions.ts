import type { ExchangeFilter, Place, ReadScope } from './exchange-reads.ts'

/** Collects the values of a statement while its text is built. */
export interface Bindings {
  readonly values: unknown[]
  /** Adds a value and returns its placeholder, e.g. `$3`. */
  bind(value: unknown): string
}

export function createBindings(): Bindings {
  const values: unknown[] = []
  return { values, bind: (value) => `$${values.push(value)}` }
}

/** A workspace, a time and a filter that exchanges must match. */
export interface Requested extends ReadScope {
  readonly filter: ExchangeFilter
  /** Only exchanges behind this position in the list, which begins with the newest. */
  readonly after?: Place | null
}

/** The conditions on `exchange e`, without the condition on words, which needs the search index. */
export function conditionsOf(requested: Requested, bindings: Bindings): string {
  return [
    `e.workspace_id = ${bindings.bind(requested.workspaceId)}`,
    timesOf(requested, bindings),
    ...factsOf(requested, bindings),
  ].join(' AND ')
}

/** The conditions on creation and expiry. */
export function timesOf({ at, filter: { start, end }, after = null }: Requested, { bind }: Bindings): string {
  const conditions = [`e.expires_at > ${bind(at)}`]
  if (start !== undefined) conditions.push(`e.created_at >= ${bind(start)}`)
  if (end !== undefined) conditions.push(`e.created_at < ${bind(end)}`)
  // The newest comes first, so the next page holds older rows.
  if (after !== null)
    conditions.push(`(e.created_at, e.id) < (${bind(after.createdAt)}::timestamptz, ${bind(after.id)}::uuid)`)
  return conditions.join(' AND ')
}

/** The conditions of the other filters. */
export function factsOf({ filter }: Pick<Requested, 'filter'>, { bind }: Bindings): readonly string[] {
  const conditions: string[] = []
  const equal = (column: string, value: string | undefined) => {
    if (value !== undefined) conditions.push(`e.${column} = ${bind(value)}`)
  }
  const is = (column: string, value: boolean | undefined) => {
    if (value !== undefined) conditions.push(value ? `e.${column}` : `NOT e.${column}`)
  }
  equal('served_model', filter.model)
  equal('tag', filter.tag)
  equal('segment', filter.segment)
  equal('finish_reason', filter.finishReason)
  equal('trace_id', filter.traceId)
  equal('alias', filter.alias)
  if (filter.excludedTags !== undefined) {
    conditions.push(`(e.tag IS NULL OR e.tag <> ALL(${bind(filter.excludedTags)}::text[]))`)
  }
  is('cached', filter.cached)
  is('canary', filter.canary)
  is('has_tool_calls', filter.hasToolCalls)
  if (filter.minCostNano !== undefined) conditions.push(`e.cost_nano >= ${bind(filter.minCostNano.toString())}`)
  return conditions
}
