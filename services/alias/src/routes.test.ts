import { operationName } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import { internalEndpoints } from '@ratchet/contracts/internal-endpoints'
import { sessionEndpoints } from '@ratchet/contracts/session-endpoints'
import { anything, routesOf } from '@ratchet/testing/routes-of'
import { createApp } from './app.ts'

it('answers exactly the endpoints that the contracts assign to it', () => {
  const contracted = [...endpoints, ...sessionEndpoints, ...internalEndpoints]
    .filter(({ service }) => service === 'alias')
    .map(operationName)
  expect(routesOf(createApp(anything()))).toEqual(contracted.toSorted())
})
