import type { CreateEval } from '@ratchet/contracts/evals'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { createDatasetPrompts } from './dataset-prompts.ts'
import { createLogPrompts } from './log-prompts.ts'
import type { PromptSource } from './prompt-source.ts'
import { createRunSteps } from './run-steps.ts'

/** Chooses the source of an eval's prompts: a dataset, agent runs, or else the log. */
export function createSourceChooser(
  log: LogReader,
  logging: FleetClient,
): (run: { readonly request: CreateEval }) => PromptSource {
  const logPrompts = createLogPrompts(log)
  const datasetPrompts = createDatasetPrompts(logging)
  const runSteps = createRunSteps(log)
  return ({ request: { sample_filters: filters } }) => {
    if (filters.dataset_id !== undefined) return datasetPrompts
    return filters.trace_replay === true ? runSteps : logPrompts
  }
}
