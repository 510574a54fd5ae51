import type { JobSettings } from '../../jobs/job.ts'
import type { RunSettings } from './run-settings.ts'

/** What the training job of a run says. Its tokens are those of its steps, so its plan has none. */
export function jobSettingsOf({ base_model, hyperparameters: of, checkpointEverySteps }: RunSettings): JobSettings {
  return {
    base_model,
    hyperparameters: {
      n_epochs: 1,
      batch_size: of.prompts_per_step * of.group_size,
      learning_rate: of.learning_rate,
      lora_rank: of.lora_rank,
      lora_alpha: of.lora_alpha,
      beta: null,
      max_sequence_length: of.max_context_length,
      on_too_long: 'drop',
      early_stopping_patience: null,
    },
    plan: {
      total_steps: of.max_steps,
      total_tokens: 0,
      servable_steps: [],
      save_every_steps: checkpointEverySteps,
      save_every_seconds: 3_600,
    },
  }
}
