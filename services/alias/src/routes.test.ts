import { endpoints } from '@ratchet/contracts/endpoints'
import { permissionKey } from '@ratchet/contracts/permissions'
import { anything, routesOf } from '@ratchet/testing/routes-of'
import { createApp } from './app.ts'

/** For other services alone; the edge has no way to them. */
const internal = [
  'GET /internal/alias/gates',
  'GET /internal/alias/progress',
  'POST /internal/alias/traffic',
  'POST /internal/webhooks/events',
]

it('answers what the contracts say that it does, and nothing else', () => {
  const contracted = endpoints.filter(({ service }) => service === 'alias').map(permissionKey)
  expect(routesOf(createApp(anything()))).toEqual([...contracted, ...internal].toSorted())
})
