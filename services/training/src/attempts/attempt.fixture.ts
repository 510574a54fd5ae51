import type { AttemptSettings } from './attempt.ts'

/** Settings of a small job: 8 steps, saved at 2, 4, 6 and 8, of which 4 and 8 are shown. */
export function attemptSettings(more: Partial<AttemptSettings> = {}): AttemptSettings {
  return {
    base_model: { id: 'sim/base', source: 'sim', sha256: null, chat_template_sha256: null },
    hyperparameters: {
      n_epochs: 2,
      batch_size: 4,
      learning_rate: 2e-4,
      lora_rank: 8,
      lora_alpha: 8,
      beta: null,
      max_sequence_length: 1_024,
      on_too_long: 'drop',
      early_stopping_patience: null,
    },
    plan: {
      total_steps: 8,
      total_tokens: 8_000,
      servable_steps: [4, 8],
      save_every_steps: 2,
      save_every_seconds: 300,
    },
    ...more,
  }
}
