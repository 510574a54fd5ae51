import { operationName } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import { internalEndpoints } from '@ratchet/contracts/internal-endpoints'
import { sessionEndpoints } from '@ratchet/contracts/session-endpoints'
import { anything, routesOf } from '@ratchet/testing/routes-of'
import { createApp } from './app.ts'

/** Not an endpoint of the contracts: its body is binary. */
const captures = 'POST /internal/captures'

it('has a route for every endpoint of its contracts, and no other', () => {
  const contracted = [...endpoints, ...sessionEndpoints, ...internalEndpoints]
    .filter(({ service }) => service === 'logging')
    .map(operationName)
  expect(routesOf(createApp(anything()))).toEqual([...contracted, captures].toSorted())
})
