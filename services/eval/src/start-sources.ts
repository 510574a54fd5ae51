import type { CreateEval } from '@ratchet/contracts/evals'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { FleetClient } from '@ratchet/service-kit/fleet-client'
import type { PromptSource } from './domain/prompt-source.ts'
import { createDatasetPrompts } from './sources/dataset-prompts.ts'
import { createLogPrompts } from './sources/log-prompts.ts'
import { createRunSteps } from './sources/run-steps.ts'

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
