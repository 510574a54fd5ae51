import { filterWords } from '../exchanges/client-metadata.ts'
import type { ExchangeFilter, Place, ReadScope } from '../exchanges/exchange-reads.ts'
import type { Parameters } from './clickhouse-client.ts'
import { newestFirstOf } from './clickhouse-row.ts'

export interface Requested extends ReadScope {
  readonly filter: ExchangeFilter
  /** Only exchanges behind this position in the list, which begins with the newest. */
  readonly after?: Place | null
}

export interface Conditions {
  readonly text: string
  readonly parameters: Parameters
  /** The filter has words without a letter or digit, which no exchange has. */
  readonly isImpossible: boolean
}

/** Exchanges of a workspace that have not expired. */
export const inScope = 'workspace_id = {workspace:UUID} AND expires_ms > {at:Int64}'

export function scopeParameters({ workspaceId, at }: ReadScope): Parameters {
  return { workspace: workspaceId, at: at.getTime() }
}

type Part = readonly [condition: string, parameter: string, value: unknown]

/** The conditions of a request beside {@link inScope}. */
export function conditionsOf(requested: Requested): Conditions {
  const { filter, after = null } = requested
  const words = filterWords(requested.workspaceId, filter)
  const parts: readonly Part[] = [
    ['newest_first <= {start:Int64}', 'start', filter.start && newestFirstOf(filter.start)],
    ['newest_first > {end:Int64}', 'end', filter.end && newestFirstOf(filter.end)],
    ['served_model = {model:String}', 'model', filter.model],
    ['tag = {tag:String}', 'tag', filter.tag],
    [`(tag IS NULL OR NOT has({excluded:Array(String)}, assumeNotNull(tag)))`, 'excluded', filter.excludedTags],
    ['segment = {segment:String}', 'segment', filter.segment],
    ['finish_reason = {finish:String}', 'finish', filter.finishReason],
    ['trace_id = {trace:String}', 'trace', filter.traceId],
    ['alias = {alias:String}', 'alias', filter.alias],
    ['cached = {cached:Bool}', 'cached', filter.cached],
    ['canary = {canary:Bool}', 'canary', filter.canary],
    ['has_tool_calls = {tools:Bool}', 'tools', filter.hasToolCalls],
    ['cost_nano >= {cost:Int64}', 'cost', filter.minCostNano?.toString()],
    ['hasAll(words, {words:Array(Int64)})', 'words', words ?? undefined],
  ]
  const given = parts.filter(([, , value]) => value !== undefined)
  const behind = after === null ? [] : [afterText]
  return {
    text: ['true', ...given.map(([condition]) => condition), ...behind].join(' AND '),
    parameters: {
      ...scopeParameters(requested),
      ...Object.fromEntries(given.map(([, name, value]) => [name, value])),
      ...(after === null ? {} : { afterMs: newestFirstOf(after.createdAt), afterId: after.id }),
    },
    isImpossible: words?.length === 0,
  }
}

/** The first condition is for the order of the table. */
const afterText = 'newest_first >= {afterMs:Int64} AND (newest_first > {afterMs:Int64} OR id < {afterId:String})'
