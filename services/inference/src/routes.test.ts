import { operationName } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import { internalEndpoints } from '@ratchet/contracts/internal-endpoints'
import { sessionEndpoints } from '@ratchet/contracts/session-endpoints'
import { anything, routesOf } from '@ratchet/testing/routes-of'
import { createApp } from './app.ts'

it('has exactly the endpoints of the contracts', () => {
  const contracted = [...endpoints, ...sessionEndpoints, ...internalEndpoints]
    .filter(({ service }) => service === 'inference')
    .map(operationName)
  expect(routesOf(createApp(anything()))).toEqual(contracted.toSorted())
})
