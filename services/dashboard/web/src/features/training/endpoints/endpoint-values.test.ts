import { bodyOf, hourCostOf, missingText, newEndpointValues, scaleBodyOf, valuesOf } from './endpoint-values.ts'

const filled = { ...newEndpointValues, name: ' Support ', model: 'sim/small', hardware: 'sim-1x' }

it('says what is missing, one thing after the other', () => {
  expect(missingText(newEndpointValues)).toBe('Choose a model or a version.')
  expect(missingText({ ...filled, hardware: '' })).toBe('Choose the hardware.')
  expect(missingText({ ...filled, name: ' ' })).toBe('Give it a name.')
  expect(missingText({ ...filled, minReplicas: 2 })).toBe('There cannot be more replicas at least than at most.')
  expect(missingText(filled)).toBeNull()
})

it('makes the body of a model or of a version, with what limits it', () => {
  expect(bodyOf(newEndpointValues)).toBeNull()
  expect(bodyOf({ ...filled, sleepMinutes: '', maxHourlyCostUsd: '1.5' })).toEqual({
    name: 'Support',
    model: 'sim/small',
    hardware: 'sim-1x',
    minReplicas: 0,
    maxReplicas: 1,
    scaleToZeroAfterSeconds: null,
    targetConcurrency: 8,
    maxHourlyCostUsd: 1.5,
  })
  expect(bodyOf({ ...filled, model: '', versionId: 'mv_1' })).toMatchObject({
    modelVersionId: 'mv_1',
    scaleToZeroAfterSeconds: 3_600,
    maxHourlyCostUsd: null,
  })
})

it('reads the values of an endpoint back', () => {
  const endpoint = {
    min_replicas: 0,
    max_replicas: 2,
    scale_to_zero_after_seconds: 900,
    target_concurrency: 4,
    max_hourly_cost_usd: 2,
  }
  expect(scaleBodyOf(valuesOf(endpoint as never))).toEqual({
    minReplicas: 0,
    maxReplicas: 2,
    scaleToZeroAfterSeconds: 900,
    targetConcurrency: 4,
    maxHourlyCostUsd: 2,
  })
})

it.each([
  [{}, { least: '0', most: '600000', required: '600000', cappedAfterMinutes: null }],
  [{ sleepMinutes: '' }, { least: '600000', most: '600000', required: '600000', cappedAfterMinutes: null }],
  [
    { minReplicas: 1, maxReplicas: 3, maxHourlyCostUsd: '0.9' },
    { least: '600000', most: '900000', required: '1800000', cappedAfterMinutes: 30 },
  ],
  [{ maxHourlyCostUsd: '5' }, { least: '0', most: '600000', required: '600000', cappedAfterMinutes: null }],
])('computes what an hour costs, in whole micro-dollars: %j', (changed, cost) => {
  expect(hourCostOf({ ...newEndpointValues, ...changed }, 0.6)).toEqual({ replica: '600000', ...cost })
})
