import type { Identity } from '@ratchet/contracts/identity'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'

export interface LatencyRequest {
  readonly identity: Identity
  readonly models: readonly string[]
  readonly now: Date
}

const dayMs = 86_400_000
/** Age of the answers that are counted. */
const recentMs = 7 * dayMs
/** Answers read per model. */
const answersPerModel = 50

/** The mean latency of each model in the last week of the log, milliseconds; models without an answer are absent. */
export async function recentLatencies(
  log: Pick<LogReader, 'sample'>,
  { identity, models, now }: LatencyRequest,
): Promise<ReadonlyMap<string, number>> {
  const start = new Date(now.getTime() - recentMs).toISOString()
  const found = await Promise.all(
    [...new Set(models)].map(async (model) => {
      const { rows } = await log.sample(identity, { filters: { model, start }, count: answersPerModel, seed: 0 })
      const latencies = rows.map(({ latency_ms: latencyMs }) => latencyMs)
      return latencies.length === 0 ? [] : [[model, meanOf(latencies)] as const]
    }),
  )
  return new Map(found.flat())
}

/**
 * Time of one sample: the slowest answer, then the slowest judge, because calls of one kind are made at once. A model
 * without known latencies counts as the mean of the others.
 *
 * @returns milliseconds; null when no latency is known
 */
export function sampleTimeMs(
  latencies: ReadonlyMap<string, number>,
  { answering, judging }: { readonly answering: readonly string[]; readonly judging: readonly string[] },
): number | null {
  if (latencies.size === 0) return null
  const usual = meanOf([...latencies.values()])
  const slowest = (models: readonly string[]) => Math.max(...models.map((model) => latencies.get(model) ?? usual))
  return slowest(answering) + slowest(judging)
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
