import { filterWords } from '../exchanges/client-metadata.ts'
import type { ExchangeFilter } from '../exchanges/exchange-reads.ts'
import { type Bindings, conditionsOf, factsOf, type Requested, timesOf } from '../exchanges/pg-exchange-conditions.ts'
import type { RunStatement } from '../exchanges/pg-run-read.ts'

/** The keys of matching exchanges in the index of all filters. */
export interface SearchKeys {
  /** A match has all of these. */
  readonly facets: readonly string[]
  /** A match has one of these; null when the cost does not matter. */
  readonly costs: readonly string[] | null
  /** A match has all of these; null when words do not matter. */
  readonly words: readonly string[] | null
}

export interface Finding extends Requested {
  /** Only steps of traces. */
  readonly isStep?: boolean
}

/** The keys of filters are computed by the database, whose index does so too; those of words like when they are stored. */
export async function searchKeys(
  run: RunStatement,
  { workspaceId, filter, isStep = false }: Finding,
): Promise<SearchKeys> {
  const values = [
    ...[workspaceId, filter.model, filter.tag, filter.segment, filter.finishReason, filter.traceId, filter.alias],
    ...[
      filter.cached,
      filter.canary,
      filter.hasToolCalls,
      filter.minCostNano?.toString(),
      isStep,
      wordsOf(workspaceId, filter),
    ],
  ]
  const [keys] = await run<SearchKeys>({ text: keysText, values, isPrepared: true })
  return keys ?? { facets: [], costs: null, words: null }
}

const keysText = `
  SELECT
    exchange_facets($1::uuid, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::boolean, $9::boolean, $10::boolean, NULL)
      || CASE WHEN $12::boolean THEN ARRAY[uuid_hash_extended($1::uuid, 16)] ELSE '{}' END AS facets,
    CASE WHEN $11::bigint IS NOT NULL THEN ARRAY(
      SELECT uuid_hash_extended($1::uuid, 1000 + step) FROM generate_series(exchange_cost_step($11::bigint), 20) step
    ) END AS costs,
    $13::text::bigint[] AS words`

function wordsOf(workspaceId: string, filter: ExchangeFilter): string | null {
  const words = filterWords(workspaceId, filter)
  return words === null ? null : `{${words.join(',')}}`
}

/**
 * All conditions of a filter without words on `exchange e`. With filters only the index of all filters can find the rows:
 * a condition that `IS TRUE` is not searched in an index. An index that lists the workspace would read all its rows.
 */
export async function matchConditions(run: RunStatement, finding: Finding, bindings: Bindings): Promise<string> {
  const keys = await searchKeys(run, finding)
  if (keys.facets.length === 0 && keys.costs === null) return conditionsOf(finding, bindings)
  return [
    keyConditions(keys, bindings),
    timesOf(finding, bindings),
    `(e.workspace_id = ${bindings.bind(finding.workspaceId)}) IS TRUE`,
    ...factsOf(finding, bindings).map((fact) => `(${fact}) IS TRUE`),
    ...(finding.isStep === true ? ['e.trace_id IS NOT NULL'] : []),
  ].join(' AND ')
}

/** Conditions on `exchange e` that the index of all filters can answer. There is at least one key. */
export function keyConditions({ facets, costs, words }: SearchKeys, { bind }: Bindings): string {
  const conditions: string[] = []
  if (facets.length > 0) conditions.push(`${facetsOfRow} @> ${bind(facets)}::bigint[]`)
  if (costs !== null) conditions.push(`${facetsOfRow} && ${bind(costs)}::bigint[]`)
  if (words !== null) conditions.push(`e.words @> ${bind(words)}::bigint[]`)
  return conditions.join(' AND ')
}

const facetsOfRow = `exchange_facets(e.workspace_id, e.served_model, e.tag, e.segment, e.finish_reason, e.trace_id, e.alias, e.cached, e.canary, e.has_tool_calls, e.cost_nano)`
