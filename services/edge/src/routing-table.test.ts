import { endpoints } from '@ratchet/contracts/endpoints'
import { permissionKey, permissions } from '@ratchet/contracts/permissions'
import { createEndpointIndex } from './endpoint-index.ts'
import { routeOf, routingTable } from './routing-table.ts'

it('routes every endpoint of the contracts to its service, under a permission row', () => {
  const index = createEndpointIndex({ endpoints, permissions, routes: routingTable })
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/[:*]\w+/g, 'x')
    expect(index.find(endpoint.method.toUpperCase(), path)).toMatchObject({
      kind: 'found',
      destination: { rule: permissions.get(permissionKey(endpoint)), route: { service: endpoint.service } },
    })
  }
})

it('has a permission row and a route for nothing but endpoints', () => {
  const keys = new Set(endpoints.map(permissionKey))
  expect([...permissions.keys()].filter((key) => !keys.has(key))).toEqual([])
  const unused = routingTable.filter((route) => !endpoints.some(({ path }) => routeOf([route], path) !== null))
  expect(unused).toEqual([])
})

it('matches whole segments and prefers the longer prefix', () => {
  const base = { service: 'inference', kind: 'management', maxBodyBytes: 1 } as const
  const routes = [
    { ...base, prefix: '/v1/a' },
    { ...base, prefix: '/v1/a/b' },
  ]
  expect(routeOf(routes, '/v1/a')?.prefix).toBe('/v1/a')
  expect(routeOf(routes, '/v1/a/c')?.prefix).toBe('/v1/a')
  expect(routeOf(routes, '/v1/a/b/c')?.prefix).toBe('/v1/a/b')
  expect(routeOf(routes, '/v1/ab')).toBeNull()
  expect(routeOf(routes, '/v1')).toBeNull()
})
