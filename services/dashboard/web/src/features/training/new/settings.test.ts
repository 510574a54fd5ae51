import { settingsOf } from './settings.ts'

const model = { full: false, lora_ranks: [8, 16, 64], max_context: 4_096, trainers: ['sim'] }

const placeholders = (...args: Parameters<typeof settingsOf>) =>
  Object.fromEntries(settingsOf(...args).map(({ field, placeholder }) => [field, placeholder]))

it('shows the defaults of a model and a method', () => {
  const shown = placeholders({ method: 'supervised', training: 'lora' }, model)
  expect(shown).toMatchObject({ learningRate: '2e-4', loraRank: '16', maxSequenceLength: '4,096' })
  expect(Object.keys(shown)).not.toEqual(expect.arrayContaining(['beta']))
  expect(Object.keys(shown)).not.toEqual(expect.arrayContaining(['training']))
})

it('has beta for pairs, and no rank for all weights', () => {
  const shown = placeholders({ method: 'dpo', training: 'full' }, { ...model, full: true, trainers: ['sim', 'gpu'] })
  expect(shown).toMatchObject({ beta: '0.1', learningRate: '1e-5', nEpochs: '1', trainer: 'auto' })
  expect(Object.keys(shown)).not.toEqual(expect.arrayContaining(['loraRank']))
})

it('takes the lowest rank where all are high', () => {
  expect(placeholders({ method: 'supervised', training: 'lora' }, { ...model, lora_ranks: [64, 128] })).toMatchObject({
    loraRank: '64',
  })
})
