import { methodFor, priceText, waitText } from './model-words.ts'

const pricing = {
  supervised_per_mtok: 1.25,
  dpo_per_mtok: null,
  grpo_train_per_mtok: null,
  grpo_sample_per_mtok: null,
}
const capacity = { gpus_total: 2, gpus_free: 0, queue_length: 0, estimated_wait_seconds: null }

it('says the price of a method', () => {
  expect(priceText({ pricing }, 'supervised')).toBe('$1.25 per million trained tokens.')
  expect(priceText({ pricing }, 'dpo')).toBe('This model cannot be trained so.')
  expect(priceText({ pricing: { ...pricing, dpo_per_mtok: 0 } }, 'dpo')).toBe('It is free of charge.')
})

it('keeps a method that the model has', () => {
  expect(methodFor({ methods: ['supervised', 'dpo'] }, 'dpo')).toBe('dpo')
  expect(methodFor({ methods: ['supervised'] }, 'dpo')).toBe('supervised')
  expect(methodFor({ methods: ['grpo', 'dpo'] }, 'supervised')).toBe('dpo')
})

it('says when a job would begin', () => {
  expect(waitText({ capacity: { ...capacity, gpus_free: 1 } })).toBe('1 place free: a job begins at once.')
  expect(waitText({ capacity })).toBe('No place is free: a job waits for the running ones.')
  expect(waitText({ capacity: { ...capacity, queue_length: 3, estimated_wait_seconds: 600 } })).toBe(
    'No place is free: a job waits for 3 other jobs, about 10 min.',
  )
})
