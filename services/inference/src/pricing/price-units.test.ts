import { modelOf } from '../catalog/catalog.fixture.ts'
import { noUsage } from '../wire/usage.ts'
import { costNano, holdNano, soundUsage, usageLimits } from './price.ts'

it.each([
  ['image', 'per_image', '0.04', 3, 120_000_000n],
  ['speech', 'per_character', '0.000015', 7, 105_000n],
  ['transcription', 'per_audio_second', '0.0001', 61, 6_100_000n],
])('charges and holds what a model of the kind %s makes by its %s', (kind, field, price, units, nano) => {
  const free = { input_per_mtok: '0', cached_input_per_mtok: null, output_per_mtok: '0' }
  const model = modelOf({ ...free, kind, max_output_tokens: 0, [field]: price })
  expect(costNano(model, { ...noUsage, units })).toBe(nano)
  expect(holdNano({ model, promptTokensUpperBound: 10, maxOutputTokens: 0, n: 1, units })).toBe(nano)
  const limits = usageLimits({ model, maxOutputTokens: 0, n: 1 })
  expect(soundUsage({ ...noUsage, units }, limits)?.units).toBe(units)
  expect(soundUsage({ ...noUsage, units: 1e9 }, limits)).toBeNull()
})
