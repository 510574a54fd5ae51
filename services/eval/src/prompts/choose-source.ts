import type { CreateEval } from '@ratchet/contracts/evals'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { FleetClient } from '@ratchet/service-kit/fleet-client'
import { createDatasetPrompts } from './dataset-prompts.ts'
import { createLogPrompts } from './log-prompts.ts'
import type { PromptSource } from './prompt-source.ts'
import { createRunSteps } from './run-steps.ts'

/** Where the prompts of an eval come from: a dataset, agent runs, or else the log. */
export function startSources(
  log: LogReader,
  logging: FleetClient,
): (run: { readonly request: CreateEval }) => PromptSource {
  const [logPrompts, datasetPrompts, runSteps] = [
    createLogPrompts(log),
    createDatasetPrompts(logging),
    createRunSteps(log),
  ]
  return ({ request: { sample_filters: filters } }) => {
    if (filters.dataset_id !== undefined) return datasetPrompts
    return filters.trace_replay === true ? runSteps : logPrompts
  }
}
