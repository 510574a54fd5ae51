import { fleetIdentity } from '@ratchet/contracts/identity'
import { FleetCallError } from '@ratchet/service-kit/fleet-client'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { createModelTraits } from './model-traits.ts'

function traitsWith(answer: () => unknown) {
  const asked: string[] = []
  const clock = fixedClock()
  const call = async (_endpoint: unknown, { params }: { params?: { id: string[] } }) => {
    asked.push(...(params?.id ?? []))
    return answer()
  }
  return { asked, clock, read: createModelTraits({ inference: { call: call as never }, now: clock.now }) }
}

const model = { owned_by: 'acme', capabilities: ['chat'], unsupported_parameters: ['temperature'] }
const unknown = { provider: null, capabilities: [], unsupportedParameters: [] }

it('remembers what a model can do for some minutes', async () => {
  const { asked, clock, read } = traitsWith(() => model)
  const traits = { provider: 'acme', capabilities: ['chat'], unsupportedParameters: ['temperature'] }
  expect(await read(fleetIdentity, 'acme/m')).toEqual(traits)
  clock.advance(299_000)
  expect(await read(fleetIdentity, 'acme/m')).toEqual(traits)
  expect(asked).toEqual(['acme/m'])
  clock.advance(2_000)
  await read(fleetIdentity, 'acme/m')
  expect(asked).toEqual(['acme/m', 'acme/m'])
})

it('knows nothing of a model that the catalog refuses, and asks again', async () => {
  const { asked, read } = traitsWith(() => {
    throw new FleetCallError('none', { status: 404, code: 'model_not_found' })
  })
  expect([await read(fleetIdentity, 'no/m'), await read(fleetIdentity, 'no/m')]).toEqual([unknown, unknown])
  expect(asked).toHaveLength(2)
})

it('asks for no name that is none', async () => {
  const { asked, read } = traitsWith(() => model)
  expect(await read(fleetIdentity, '\ud800')).toEqual(unknown)
  expect(asked).toEqual([])
})

it('does not judge while the catalog cannot be read', async () => {
  const { read } = traitsWith(() => {
    throw new FleetCallError('away', { status: 503 })
  })
  await expect(read(fleetIdentity, 'acme/m')).rejects.toMatchObject({ status: 503 })
})
