import fc from 'fast-check'
import { readBody } from './read-body.ts'
import { hyperparametersOf, planOf } from './resolve-settings.ts'

const model = { loraRanks: [8, 16, 64], maxContext: 32_768 }
const supervised = readBody({ model: 'sim/small', datasetId: 'ds_1' }).request
const dpo = readBody({ model: 'sim/small', trainingFile: 'file-1', method: { type: 'dpo' } }).request

describe('hyperparametersOf', () => {
  it('chooses what is left to it', () => {
    expect(hyperparametersOf(supervised, model, 500)).toEqual({
      n_epochs: 3,
      batch_size: 8,
      learning_rate: 2e-4,
      lora_rank: 16,
      lora_alpha: 16,
      beta: null,
      max_sequence_length: 8_192,
      on_too_long: 'drop',
      early_stopping_patience: null,
    })
    expect(hyperparametersOf(dpo, model, 5_000)).toMatchObject({
      n_epochs: 1,
      batch_size: 50,
      learning_rate: 1e-5,
      beta: 0.1,
    })
  })

  it.each([
    [999, 3],
    [1_000, 2],
    [10_000, 1],
  ])('trains %d examples %d times', (examples, epochs) => {
    expect(hyperparametersOf(supervised, model, examples).n_epochs).toBe(epochs)
  })

  it('takes what is requested', () => {
    const hyperparameters = {
      nEpochs: 5,
      batchSize: 2,
      learningRateMultiplier: 0.5,
      loraRank: 64,
      loraAlpha: 10,
      maxSequenceLength: 100,
    }
    const request = readBody({
      model: 'm',
      datasetId: 'ds_1',
      method: { type: 'supervised', supervised: { hyperparameters } },
    }).request
    expect(hyperparametersOf(request, model, 10)).toMatchObject({
      n_epochs: 5,
      batch_size: 2,
      learning_rate: 1e-4,
      lora_rank: 64,
      lora_alpha: 10,
      max_sequence_length: 100,
    })
  })

  it('has no adapter when all weights are trained', () => {
    const request = readBody({ model: 'm', datasetId: 'ds_1', training: 'full' }).request
    expect(hyperparametersOf(request, model, 10)).toMatchObject({ lora_rank: null, lora_alpha: null })
  })

  it('never exceeds what the model can read', () => {
    expect(hyperparametersOf(supervised, { ...model, maxContext: 4_096 }, 10).max_sequence_length).toBe(4_096)
  })
})

describe('planOf', () => {
  const settings = { n_epochs: 3, batch_size: 8 }

  it('has a checkpoint after each epoch', () => {
    const plan = planOf(supervised, settings, { examples: 20, tokens: 1_000 })
    expect(plan).toMatchObject({ total_steps: 9, total_tokens: 3_000, servable_steps: [3, 6, 9] })
  })

  it('has as many checkpoints as requested, and the last step is one', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: 100_000 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 512 }),
        (examples, nCheckpoints, batch) => {
          const { total_steps, servable_steps } = planOf(
            { nCheckpoints },
            { n_epochs: 2, batch_size: batch },
            { examples, tokens: 1 },
          )
          expect(servable_steps).toHaveLength(Math.min(nCheckpoints, total_steps))
          expect(servable_steps.at(-1)).toBe(total_steps)
          expect(servable_steps).toEqual([...servable_steps].sort((left, right) => left - right))
          expect(servable_steps[0]).toBeGreaterThan(0)
        },
      ),
    )
  })
})
