import type { Identity } from '@ratchet/contracts/identity'
import { type LoggedRun, maxRunsPerRead, RunFilters, type SampleFilters } from '@ratchet/contracts/internal-logs'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { StoredCriterion } from '../criteria/criterion.ts'
import { type LoggedExchange, type LoggedRunItem, loggedExchange, loggedRun } from '../judgements/plan-logged.ts'
import { populationFilters } from './population-filters.ts'

/** A random sample of what a judge judges: exchanges, or completed runs. */
export interface DrawnSample {
  /** Number of exchanges or completed runs that match. */
  readonly matched: number
  /** Number of those that were drawn. Some may not be in `items`: deleted meanwhile, or too long to be judged. */
  readonly drawn: number
  readonly items: readonly DrawnItem[]
}

export interface DrawnItem {
  readonly item: { readonly exchange: LoggedExchange } | { readonly run: LoggedRunItem }
  /** Tokens that a judge reads, about. */
  readonly tokens: number
}

export interface SampleOrder {
  readonly criterion: Pick<StoredCriterion, 'unit' | 'population' | 'populationFamily'>
  readonly filters: SampleFilters
  readonly count: number
  readonly seed: number
}

export type SampleReads = Pick<LogReader, 'sample' | 'drawRuns' | 'readRuns'>

/** The first filter that cannot be applied to runs; null when there is none. */
export function exchangeFilter(filters: SampleFilters): string | null {
  return Object.keys(filters).find((name) => !Object.hasOwn(RunFilters.shape, name)) ?? null
}

/**
 * Draws a sample of the population, which is determined by the seed and the log.
 *
 * @throws LoggingIsOff
 */
export async function drawSample(
  log: SampleReads,
  identity: Identity,
  { criterion, ...order }: SampleOrder,
): Promise<DrawnSample> {
  const requested = { ...order, filters: populationFilters(criterion, order.filters) }
  return criterion.unit === 'trace' ? drawRuns(log, identity, requested) : drawExchanges(log, identity, requested)
}

type Requested = Omit<SampleOrder, 'criterion'>

async function drawExchanges(log: SampleReads, identity: Identity, requested: Requested): Promise<DrawnSample> {
  const { total: matched, rows } = await log.sample(identity, requested)
  const items = rows.flatMap((row): DrawnItem[] => {
    const exchange = loggedExchange(row)
    return exchange === null ? [] : [{ item: { exchange }, tokens: row.prompt_tokens + row.completion_tokens }]
  })
  return { matched, drawn: rows.length, items }
}

async function drawRuns(log: SampleReads, identity: Identity, requested: Requested): Promise<DrawnSample> {
  const filters = RunFilters.parse(requested.filters)
  const { totalRuns: matched, traceIds } = await log.drawRuns(identity, { ...requested, filters })
  const items: DrawnItem[] = []
  // A page at a time, because only little of each step is needed.
  for (let from = 0; from < traceIds.length; from += maxRunsPerRead) {
    const page = await log.readRuns(identity, traceIds.slice(from, from + maxRunsPerRead))
    items.push(...page.flatMap(drawnRun))
  }
  return { matched, drawn: traceIds.length, items }
}

function drawnRun(logged: LoggedRun): DrawnItem[] {
  const run = loggedRun(logged)
  return run === null ? [] : [{ item: { run }, tokens: tokensOf(logged) }]
}

/** Each step repeats the earlier ones, so the longest prompt has most of the run. */
function tokensOf({ steps }: LoggedRun): number {
  const longest = steps.reduce((most, step) => Math.max(most, step.prompt_tokens), 0)
  return steps.reduce((sum, step) => sum + step.completion_tokens, longest)
}
