import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { FlatRefusal } from '../bodies/flat-refusal.ts'
import { readBody } from './read-body.ts'

const least = { model: 'sim/small', datasetId: 'ds_1' }

function refusalOf(body: unknown): { readonly code: string; readonly param: string | null; readonly message: string } {
  try {
    readBody(body)
  } catch (error) {
    if (error instanceof ServiceError) return { code: error.code, param: error.param, message: error.message }
    if (error instanceof FlatRefusal) return { code: 'flat', param: null, message: error.message }
    throw error
  }
  throw new Error('The body was accepted.')
}

describe('readBody', () => {
  it('reads keys in either spelling', () => {
    const snake = {
      model: 'sim/small',
      training_file: 'file-1',
      n_checkpoints: 2,
      method: { type: 'dpo', dpo: { hyperparameters: { n_epochs: 2, on_too_long: 'fail' } } },
      early_stopping: null,
      metadata: { my_key: 'a', myKey: 'b' },
    }
    const camel = {
      model: 'sim/small',
      trainingFile: 'file-1',
      nCheckpoints: 2,
      method: { type: 'dpo', dpo: { hyperparameters: { nEpochs: 2, onTooLong: 'fail' } } },
      earlyStopping: null,
      metadata: { my_key: 'a', myKey: 'b' },
    }
    expect(readBody(snake).request).toEqual(readBody(camel).request)
    expect(readBody(snake).request).toMatchObject(camel)
  })

  it('has defaults', () => {
    expect(readBody(least).request).toMatchObject({ method: { type: 'supervised' }, training: 'lora', trainer: 'auto' })
  })

  it('accepts both spellings with the same value', () => {
    expect(readBody({ ...least, dataset_id: 'ds_1' }).request.datasetId).toBe('ds_1')
  })

  it('names a field in later errors as the client spells it', () => {
    const { asSpelled } = readBody({ model: 'sim/small', training_file: 'file-1' })
    const error = new ServiceError('not_found', 'There is no `trainingFile`.', {
      param: 'trainingFile',
      details: { a: 1 },
    })
    const spelled = {
      code: 'not_found',
      param: 'training_file',
      message: 'There is no `training_file`.',
      details: { a: 1 },
    }
    expect(asSpelled(error)).toMatchObject(spelled)
    const other = new Error('another')
    expect(asSpelled(other)).toBe(other)
  })

  it('refuses a body of very many levels', () => {
    const deep = JSON.parse(`${'{"method":'.repeat(50_000)}1${'}'.repeat(50_000)}`)
    expect(refusalOf(deep).code).toBe('invalid_request')
  })

  it.each<[string, object]>([
    ['both spellings with different values', { ...least, dataset_id: 'ds_2' }],
    [
      'the same below another key',
      { ...least, method: { type: 'supervised', supervised: { hyperparameters: { nEpochs: 1, n_epochs: 2 } } } },
    ],
    ['no data', { model: 'sim/small' }],
    ['two sources of data', { ...least, trainingFile: 'file-1' }],
    ['settings of another method', { ...least, method: { type: 'supervised', dpo: { hyperparameters: {} } } }],
    ['settings of both methods', { ...least, method: { type: 'dpo', dpo: {}, supervised: {} } }],
  ])('refuses %s flatly', (_, body) => {
    expect(refusalOf(body).code).toBe('flat')
  })

  it.each<[string, object, string, string]>([
    ['an unknown key', { ...least, colour: 'red' }, 'unknown_parameter', 'colour'],
    ['an unknown method', { ...least, method: { type: 'reinforcement' } }, 'invalid_request', 'method.type'],
    [
      'too many checkpoints, in the spelling of the client',
      { ...least, n_checkpoints: 21 },
      'invalid_request',
      'n_checkpoints',
    ],
    ['a suffix with spaces', { ...least, suffix: 'a b' }, 'invalid_request', 'suffix'],
    [
      'two sources to validate with',
      { ...least, evalDatasetId: 'ds_2', validation_file: 'file-1' },
      'invalid_request',
      'validation_file',
    ],
    [
      'a rate and its factor',
      {
        ...least,
        method: {
          type: 'supervised',
          supervised: { hyperparameters: { learning_rate: 1e-4, learning_rate_multiplier: 2 } },
        },
      },
      'invalid_request',
      'method.supervised.hyperparameters.learning_rate',
    ],
    ['a body that is no object', [], 'invalid_request', ''],
  ])('refuses %s', (_, body, code, param) => {
    const refusal = refusalOf(body)
    expect([refusal.code, refusal.param ?? '']).toEqual([code, param])
    if (param !== '') expect(refusal.message).toContain(param)
  })

  it('names the endpoint of reinforcement learning', () => {
    const { message } = refusalOf({ ...least, method: { type: 'reinforcement' } })
    expect(message).toContain('`POST /v1/grpo/runs`')
  })
})
