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

/** What holds for the rows of `exchange e` that are meant, their words apart. */
export function conditionsOf(scope: ReadScope & { readonly filter: ExchangeFilter }, { bind }: Bindings): string {
  const { filter } = scope
  const conditions = [`e.workspace_id = ${bind(scope.workspaceId)}`, `e.expires_at > ${bind(scope.at)}`]
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
  if (filter.start !== undefined) conditions.push(`e.created_at >= ${bind(filter.start)}`)
  if (filter.end !== undefined) conditions.push(`e.created_at < ${bind(filter.end)}`)
  if (filter.minCostNano !== undefined) conditions.push(`e.cost_nano >= ${bind(filter.minCostNano.toString())}`)
  return conditions.join(' AND ')
}

/** Behind the place, in a list whose newest comes first. */
export function behind({ createdAt, id }: Place, { bind }: Bindings): string {
  return `(e.created_at, e.id) < (${bind(createdAt)}::timestamptz, ${bind(id)}::uuid)`
}
