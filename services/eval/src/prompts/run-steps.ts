import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import { logFiltersOf, logIdOf, promptOf, tokensOf } from './log-prompts.ts'
import { mapInBatches } from './map-in-batches.ts'
import type { PromptRequest, PromptSource } from './prompt-source.ts'

/**
 * Draws complete agent runs. For each step a model gets the recorded history up to that step, and its action is compared
 * with the recorded one.
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
        // A run with a deleted step is incomplete and is not used.
        if (entries.includes(null)) return []
        return entries.flatMap((entry) => (entry === null ? [] : [{ ...promptOf(entry), traceId, cluster: traceId }]))
      })
      return whole.flat()
    },
  }
}

function drawRuns(log: Pick<LogReader, 'runs'>, { identity, request }: PromptRequest) {
  return log.runs(identity, {
    filters: logFiltersOf(request),
    maxSteps: request.sample_count,
    seed: request.seed,
  })
}
