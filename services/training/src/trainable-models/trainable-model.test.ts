import { fleetIdentity } from '@ratchet/contracts/identity'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { createModelDirectory } from './model-directory.ts'
import { servedByOf } from './served-by.ts'
import { baseModelsOf, retirementWarnings } from './trainable-model.ts'

const training = {
  trainers: ['sim', 'process'],
  supervised_per_mtok: '0.80',
  lora_ranks: [64, 8] as (8 | 64)[],
  full: false,
  supports_tools: false,
  license: 'MIT',
}
const entry = (id: string, more: object = {}) => ({
  id,
  upstream_model: `${id}-weights`,
  context_window: 4_096,
  training: { ...training, ...more },
})

describe('baseModelsOf', () => {
  it('has the models that trainers of this installation offer', () => {
    const entries = [entry('b'), entry('a'), entry('c', { trainers: ['kubernetes'] })]
    const models = baseModelsOf(entries, new Set(['sim']))
    expect(models.map(({ id, trainers }) => [id, trainers])).toEqual([
      ['a', ['sim']],
      ['b', ['sim']],
    ])
  })

  it('has prices in nano-dollars per million tokens, and defaults', () => {
    const [model] = baseModelsOf([entry('a')], new Set(['sim']))
    expect(model).toMatchObject({
      source: 'a-weights',
      prices: new Map([['supervised', 800_000_000n]]),
      maxContext: 4_096,
      loraRanks: [8, 64],
      tokensPerSecond: null,
      retiresAt: null,
    })
  })
})

it('says what can serve the versions of a model', () => {
  const kind = {
    id: 'gpu-1',
    gpu: null,
    gpuCount: 0,
    gpuMemoryGb: 0,
    priceNanoPerHour: 1n,
    slots: 1,
    maxAdapters: 16,
    maxContext: null,
  }
  const servedBy = servedByOf({ poolBases: new Set(['a']), hardware: [{ ...kind, models: new Set(['a', 'b']) }] })
  expect(['a', 'b', 'c'].map(servedBy)).toEqual([['pool', 'dedicated'], ['dedicated'], []])
  expect(servedByOf({ poolBases: new Set(), hardware: [{ ...kind, models: null }] })('c')).toEqual(['dedicated'])
})

it('warns of the day on which the provider of a model stops', () => {
  const [model] = baseModelsOf([entry('a', { retires_at: '2027-01-14' })], new Set(['sim']))
  expect(model === undefined ? [] : retirementWarnings(model)).toEqual([expect.stringContaining('on 2027-01-14')])
  expect(retirementWarnings({ id: 'b', retiresAt: null })).toEqual([])
})

it('the catalog may be unavailable', async () => {
  const directory = createModelDirectory(
    { call: () => Promise.reject(new FleetCallError('no', { status: 503 })) },
    new Set(['sim']),
  )
  await expect(directory.list(fleetIdentity)).rejects.toMatchObject({ code: 'service_unavailable' })
})
