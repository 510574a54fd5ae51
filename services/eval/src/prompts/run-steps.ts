import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { logFiltersOf, logIdOf, promptOf, tokensOf } from './log-prompts.ts'
import { mapInBatches } from './map-in-batches.ts'
import type { PromptOrder, PromptSource } from './prompt-source.ts'

/**
 * The steps of completed agent runs, each run whole: a model is shown the history that was recorded up to a step, and
 * what it would do there is compared with what was done.
 */
export function createRunSteps(log: Pick<LogReader, 'runs' | 'entry'>): PromptSource {
  return {
    async survey(order) {
      const { eligibleSteps, runs } = await drawRuns(log, order)
      const steps = runs.flatMap(({ steps }) => steps)
      return { eligible: eligibleSteps, distinct: steps.length, tokens: steps.map(tokensOf) }
    },
    async draw(order) {
      const { runs } = await drawRuns(log, order)
      const whole = await mapInBatches(runs, async ({ traceId, steps }) => {
        const entries = await mapInBatches(steps, (step) => log.entry(order.identity, logIdOf(step)))
        // A run of which a step is gone is no whole run.
        if (entries.includes(null)) return []
        return entries.flatMap((entry) => (entry === null ? [] : [{ ...promptOf(entry), traceId, cluster: traceId }]))
      })
      return whole.flat()
    },
  }
}

function drawRuns(log: Pick<LogReader, 'runs'>, { identity, request }: PromptOrder) {
  return log.runs(identity, {
    filters: logFiltersOf(request),
    maxSteps: request.sample_count,
    seed: request.seed,
  })
}
