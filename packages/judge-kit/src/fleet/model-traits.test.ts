import { fleetIdentity } from '@ratchet/contracts/identity'
import { FleetCallError } from '@ratchet/service-kit/fleet/fleet-client'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { createModelTraits } from './model-traits.ts'

function traitsWith(answer: () => unknown) {
  const requested: string[] = []
  const clock = fixedClock()
  const call = async (_endpoint: unknown, { params }: { params?: { id: string[] } }) => {
    requested.push(...(params?.id ?? []))
    return answer()
  }
  return { requested, clock, read: createModelTraits({ inference: { call: call as never }, now: clock.now }) }
}

const model = { owned_by: 'acme', capabilities: ['chat'], unsupported_parameters: ['temperature'] }
const unknown = { provider: null, capabilities: [], unsupportedParameters: [] }

it('caches traits for some minutes', async () => {
  const { requested, clock, read } = traitsWith(() => model)
  const traits = { provider: 'acme', capabilities: ['chat'], unsupportedParameters: ['temperature'] }
  expect(await read(fleetIdentity, 'acme/m')).toEqual(traits)
  clock.advance(299_000)
  expect(await read(fleetIdentity, 'acme/m')).toEqual(traits)
  expect(requested).toEqual(['acme/m'])
  clock.advance(2_000)
  await read(fleetIdentity, 'acme/m')
  expect(requested).toEqual(['acme/m', 'acme/m'])
})

it('gives empty traits for a model that the catalog refuses, and does not cache them', async () => {
  const { requested, read } = traitsWith(() => {
    throw new FleetCallError('none', { status: 404, code: 'model_not_found' })
  })
  expect([await read(fleetIdentity, 'no/m'), await read(fleetIdentity, 'no/m')]).toEqual([unknown, unknown])
  expect(requested).toHaveLength(2)
})

it('makes no call for an invalid name', async () => {
  const { requested, read } = traitsWith(() => model)
  expect(await read(fleetIdentity, '\ud800')).toEqual(unknown)
  expect(requested).toEqual([])
})

it('throws while the catalog is unavailable', async () => {
  const { read } = traitsWith(() => {
    throw new FleetCallError('unavailable', { status: 503 })
  })
  await expect(read(fleetIdentity, 'acme/m')).rejects.toMatchObject({ status: 503 })
})
