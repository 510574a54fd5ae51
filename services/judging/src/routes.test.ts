import { endpoints } from '@ratchet/contracts/endpoints'
import { permissionKey } from '@ratchet/contracts/permissions'
import { anything, routesOf } from '@ratchet/testing/routes-of'
import { createApp } from './app.ts'

/** For other services alone; the edge has no way to them. */
const internal = [
  'GET /internal/judging/gate-judges/:id',
  'GET /internal/judging/progress',
  'POST /internal/judging/gate-judgements',
  'POST /internal/judging/gate-verdicts',
]

it('answers what the contracts say that it does, and nothing else', () => {
  const contracted = endpoints.filter(({ service }) => service === 'judging').map(permissionKey)
  expect(routesOf(createApp(anything()))).toEqual([...contracted, ...internal].toSorted())
})
