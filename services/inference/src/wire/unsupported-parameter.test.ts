import { modelOf } from '../catalog/catalog.fixture.ts'
import { unsupportedParameter } from './unsupported-parameter.ts'

const model = modelOf({ unsupported_parameters: ['temperature', 'logit_bias', 'service_tier', 'plugins'] })

describe('unsupportedParameter', () => {
  it.each([
    [{ temperature: 0.2 }, 'temperature'],
    [{ temperature: 0 }, 'temperature'],
    [{ service_tier: 'priority' }, 'service_tier'],
    [{ plugins: [] }, 'plugins'],
    [{ logit_bias: { 1: 5 }, top_p: 0.1 }, 'logit_bias'],
  ])('names the parameter of %j', (body, name) => {
    expect(unsupportedParameter(model, body)).toBe(name)
  })

  it.each([
    {},
    { temperature: 1 },
    { temperature: null },
    { service_tier: 'auto' },
    { logit_bias: {} },
    { top_p: 0.1 },
  ])('accepts %j', (body) => {
    expect(unsupportedParameter(model, body)).toBeNull()
  })
})
