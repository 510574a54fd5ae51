import type { AliasSettings } from '@ratchet/contracts/aliases'
import type { Arm } from '@ratchet/contracts/internal-alias'
import type { LogEntry, LogRow } from '@ratchet/contracts/logs'
import { isSampled } from '@ratchet/stats/deterministic-sample'
import type { GateJudge } from './gate-judge.ts'

export interface ScoringQuestion {
  readonly settings: AliasSettings
  /** From here on every process routes by the split. Earlier answers may belong to another split. */
  readonly since: Date
  /** End of the gate's window. */
  readonly until: Date
  readonly judge: Pick<GateJudge, 'criterionId' | 'percent' | 'population' | 'populationFamily'>
  readonly row: LogRow
}

/**
 * Whether the gate has an answer judged: it belongs to the judge's population, a model of an arm gave it, and its id is in
 * the judge's share. The rule is the same for both arms, and the one by which the monitor chooses.
 */
export function isToBeScored({ settings, since, until, judge, row }: ScoringQuestion): boolean {
  const at = new Date(row.created_at)
  if (armOf(settings, row) === null || at < since || at >= until) return false
  return isOfPopulation(judge, row) && isSampled({ criterionId: judge.criterionId, logId: row.id }, judge.percent)
}

export function isOfPopulation(
  { population, populationFamily }: Pick<GateJudge, 'population' | 'populationFamily'>,
  row: LogRow,
): boolean {
  if (population !== '' && row.tag !== population) return false
  return populationFamily === '' || row.segment === populationFamily
}

/** The arm whose model answered; null for an answer of the cache, of a fallback or of an earlier split. */
export function armOf({ target_model, canary_model }: AliasSettings, row: LogRow): Arm | null {
  if (row.cached || row.fallback_from !== null) return null
  if (row.canary) return row.served_model === canary_model ? 'canary' : null
  return row.served_model === target_model ? 'target' : null
}

/**
 * Whether the other arm may have answered an earlier turn of the conversation, so that a verdict would belong to neither.
 * With `sticky_by: trace` all turns of a trace have one arm.
 */
export function mayBeMixed(
  { sticky_by: stickyBy }: Pick<AliasSettings, 'sticky_by'>,
  { messages, trace_id: traceId }: Pick<LogEntry, 'messages' | 'trace_id'>,
): boolean {
  if (stickyBy === 'trace' && traceId !== null) return false
  return messages.some(({ role }) => role === 'assistant')
}

/** Verdicts on answers of one trace are not independent, so with `sticky_by: trace` one answer of each trace is scored. */
export function clusterOf(
  { sticky_by: stickyBy }: Pick<AliasSettings, 'sticky_by'>,
  { trace_id: traceId }: Pick<LogRow, 'trace_id'>,
): string | null {
  return stickyBy === 'trace' ? traceId : null
}

/** Whether the shadow model answers a request too: its id is in the share, and neither cache nor fallback answered. */
export function isToBeMirrored(
  { name, shadow_model: model, shadow_percent: percent }: AliasSettings,
  row: LogRow,
): boolean {
  if (model === null || row.cached || row.fallback_from !== null) return false
  return isSampled({ criterionId: `shadow ${name}`, logId: row.id }, percent)
}
