import type { AliasSettings } from '@ratchet/contracts/aliases'
import type { Arm } from '@ratchet/contracts/internal-alias'
import type { LogEntry, LogRow } from '@ratchet/contracts/logs'
import { isSampled } from '@ratchet/stats/deterministic-sample'
import type { GateJudge } from './gate-judge.ts'

export interface ScoringQuestion {
  readonly settings: AliasSettings
  /** From when on every process routes as the split is: what began before may be of another. */
  readonly since: Date
  /** When the window of the gate ends. */
  readonly until: Date
  readonly judge: Pick<GateJudge, 'criterionId' | 'percent' | 'population' | 'populationFamily'>
  readonly row: LogRow
}

/**
 * Whether an answer is one that the gate has judged: of the judge's population, from one of the arms afresh, and of
 * those the share that its id decides. The rule is the same on both arms, and the one by which the judge monitors.
 */
export function isToBeScored({ settings, since, until, judge, row }: ScoringQuestion): boolean {
  const at = new Date(row.created_at)
  if (armOf(settings, row) === null || at < since || at >= until) return false
  if (judge.population !== '' && row.tag !== judge.population) return false
  if (judge.populationFamily !== '' && row.segment !== judge.populationFamily) return false
  return isSampled({ criterionId: judge.criterionId, logId: row.id }, judge.percent)
}

/** The arm whose model answered; null for what came from the cache, from a fallback, or from a split of before. */
export function armOf({ target_model, canary_model }: AliasSettings, row: LogRow): Arm | null {
  if (row.cached || row.fallback_from !== null) return null
  if (row.canary) return row.served_model === canary_model ? 'canary' : null
  return row.served_model === target_model ? 'target' : null
}

/**
 * Whether an earlier turn of the conversation may have been answered by the other arm: then neither is to be praised or
 * blamed for what became of it. Traces that are kept together have one arm throughout.
 */
export function mayBeMixed(
  { sticky_by: stickyBy }: Pick<AliasSettings, 'sticky_by'>,
  { messages, trace_id: traceId }: Pick<LogEntry, 'messages' | 'trace_id'>,
): boolean {
  if (stickyBy === 'trace' && traceId !== null) return false
  return messages.some(({ role }) => role === 'assistant')
}

/** Answers of one trace stand or fall together, so where traces are kept on one arm one answer of each is scored. */
export function clusterOf(
  { sticky_by: stickyBy }: Pick<AliasSettings, 'sticky_by'>,
  { trace_id: traceId }: Pick<LogRow, 'trace_id'>,
): string | null {
  return stickyBy === 'trace' ? traceId : null
}

/** Whether the mirror answers a request as well: one that a model answered afresh, and of those its share. */
export function isToBeMirrored(
  { name, shadow_model: model, shadow_percent: percent }: AliasSettings,
  row: LogRow,
): boolean {
  if (model === null || row.cached || row.fallback_from !== null) return false
  return isSampled({ criterionId: `shadow ${name}`, logId: row.id }, percent)
}
