import type { Endpoint } from '@ratchet/contracts/endpoint'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { aliasesOfCriterion } from '@ratchet/contracts/internal-alias'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { createGatesOf } from './create-gates-of.ts'

const criterionId = '00000000-0000-7000-8000-0000000000c1'

/** An alias service that answers only this endpoint, with this reply. */
function aliasThat(reply: object | Error) {
  const call = async (endpoint: Endpoint, { query }: { readonly query?: unknown }, identity: unknown) => {
    expect(endpoint).toBe(aliasesOfCriterion)
    expect(endpoint.query.parse(query)).toEqual({ criterion_id: 'crit_000000000000700080000000000000c1' })
    expect(identity).toBe(fleetIdentity)
    if (reply instanceof Error) throw reply
    return reply
  }
  return createGatesOf({ call } as unknown as Pick<FleetClient, 'call'>)
}

it.each([[[]], [['chat', 'support']]])('gives the aliases whose gates use a judge: %j', async (aliases) => {
  expect(await aliasThat({ aliases })(fleetIdentity, criterionId)).toEqual(aliases)
})

it.each([0, 401, 404, 500, 503])('refuses when the alias service answers %d', async (status) => {
  await expect(aliasThat(new FleetCallError('no', { status }))(fleetIdentity, criterionId)).rejects.toMatchObject({
    code: 'service_unavailable',
    status: 503,
    headers: { 'retry-after': '1' },
  })
})

it('rethrows errors that are not failed calls', async () => {
  await expect(aliasThat(new TypeError('a mistake of ours'))(fleetIdentity, criterionId)).rejects.toThrow(TypeError)
})
