import { operationName } from '@ratchet/contracts/endpoint'
import { endpoints } from '@ratchet/contracts/endpoints'
import { internalEndpoints } from '@ratchet/contracts/internal-endpoints'
import { sessionEndpoints } from '@ratchet/contracts/session-endpoints'
import { anything, routesOf } from '@ratchet/testing/routes-of'
import { createApp } from './app.ts'

it('answers what the contracts say that it does, and nothing else', () => {
  const contracted = [...endpoints, ...sessionEndpoints, ...internalEndpoints]
    .filter(({ service }) => service === 'judging')
    .map(operationName)
  expect(routesOf(createApp(anything()))).toEqual(contracted.toSorted())
})
