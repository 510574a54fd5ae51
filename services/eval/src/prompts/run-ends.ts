import { type LoggedRun, RunFilters } from '@ratchet/contracts/internal-logs'
import type { LogRow } from '@ratchet/contracts/logs'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { logFiltersOf, logIdOf, promptOf, tokensOf } from './log-prompts.ts'
import { mapInBatches } from './map-in-batches.ts'
import type { PromptRequest, PromptSource } from './prompt-source.ts'

/** A run whose last step can be answered again. */
interface EndedRun {
  readonly traceId: string
  readonly last: LogRow
}

/**
 * Draws completed agent runs with equal probability, whatever their length. A model gets the recorded run up to its last
 * step, and its last answer is compared with the recorded one. Earlier steps cannot be answered again in a way that a judge
 * of runs could judge: after the first other call of a tool there is no recorded result, so there is no run.
 */
export function createRunEnds(log: Pick<LogReader, 'drawRuns' | 'readRuns' | 'entry'>): PromptSource {
  return {
    async survey(order) {
      const { eligible, runs } = await drawEnds(log, order)
      return { eligible, distinct: runs.length, tokens: runs.map(({ last }) => tokensOf(last)) }
    },
    async draw(order) {
      const { runs } = await drawEnds(log, order)
      const drawn = await mapInBatches(runs, async ({ traceId, last }) => {
        const entry = await log.entry(order.identity, logIdOf(last))
        return entry === null ? [] : [{ ...promptOf(entry), traceId, cluster: traceId }]
      })
      return drawn.flat()
    },
  }
}

async function drawEnds(log: Pick<LogReader, 'drawRuns' | 'readRuns'>, { identity, request }: PromptRequest) {
  const filters = RunFilters.parse(logFiltersOf(request))
  const { totalRuns, traceIds } = await log.drawRuns(identity, {
    filters,
    count: request.sample_count,
    seed: request.seed,
  })
  return { eligible: totalRuns, runs: (await log.readRuns(identity, traceIds)).flatMap(endOf) }
}

/** None of a run that has continued since the draw, or that is too long to be judged. */
function endOf({ trace_id: traceId, completed, steps }: LoggedRun): readonly EndedRun[] {
  const last = steps.at(-1)
  return completed && last !== undefined ? [{ traceId, last }] : []
}
