import { epochText, waitText } from './progress-words.ts'

const settings = {
  n_epochs: 3,
  batch_size: 8,
  learning_rate: 2e-4,
  lora_rank: 32,
  lora_alpha: 32,
  beta: null,
  max_sequence_length: 8_192,
  on_too_long: 'drop',
} as const

it('counts passes over the examples', () => {
  const progress = { step: 60, total_steps: 120, epoch: 1.52 }
  const method = { type: 'supervised', supervised: { hyperparameters: settings } } as const
  expect(epochText({ progress, method })).toBe('epoch 1.5 of 3')
  const unread = { type: 'dpo', dpo: { hyperparameters: null } } as const
  expect(epochText({ progress: { ...progress, epoch: 1 }, method: unread })).toBe('epoch 1')
})

it('says what a job waits for', () => {
  const job = { trainer: 'sim', waiting_for: null } as const
  expect(waitText({ ...job, status: 'queued', waiting_for: 'gpu' })).toMatch(/trainer sim has a free place/)
  expect(waitText({ ...job, status: 'queued' })).toMatch(/as soon as/)
  expect(waitText({ ...job, status: 'paused' })).toMatch(/30 days/)
  expect(waitText({ ...job, status: 'validating_files' })).toMatch(/checked/)
  expect([waitText({ ...job, status: 'running' }), waitText({ ...job, status: 'failed' })]).toEqual([null, null])
})
