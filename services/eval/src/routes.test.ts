import { endpoints } from '@ratchet/contracts/endpoints'
import { permissionKey } from '@ratchet/contracts/permissions'
import { anything, routesOf } from '@ratchet/testing/routes-of'
import { createApp } from './app.ts'

/** Only for other services; the edge does not expose them. */
const internal = ['GET /internal/eval/evidence', 'GET /internal/eval/progress']

it('serves exactly the endpoints of the contracts', () => {
  const contracted = endpoints.filter(({ service }) => service === 'eval').map(permissionKey)
  expect(routesOf(createApp(anything()))).toEqual([...contracted, ...internal].toSorted())
})
