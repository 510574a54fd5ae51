import type { CreateEval } from '@ratchet/contracts/evals'
import type { LogReader } from '@ratchet/judge-kit/fleet/log-reader'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import type { EvalJudge } from '../runs/eval-run.ts'
import { createDatasetPrompts } from './dataset-prompts.ts'
import { createLogPrompts } from './log-prompts.ts'
import type { PromptSource } from './prompt-source.ts'
import { createRunEnds } from './run-ends.ts'
import { createRunSteps } from './run-steps.ts'

interface SourcedEval {
  readonly request: CreateEval
  readonly judge: Pick<EvalJudge, 'unit'>
}

/** Chooses the source of an eval's prompts: a dataset, steps or ends of agent runs, or else the log. */
export function createSourceChooser(log: LogReader, logging: FleetClient): (run: SourcedEval) => PromptSource {
  const logPrompts = createLogPrompts(log)
  const datasetPrompts = createDatasetPrompts(logging)
  const runSteps = createRunSteps(log)
  const runEnds = createRunEnds(log)
  return ({ request: { sample_filters: filters }, judge }) => {
    if (filters.dataset_id !== undefined) return datasetPrompts
    if (filters.trace_replay !== true) return logPrompts
    return judge.unit === 'trace' ? runEnds : runSteps
  }
}
