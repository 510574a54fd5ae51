import { endpoints } from './endpoints.ts'
import { permissionKey, permissions } from './permissions.ts'

it('has a row for every endpoint', () => {
  const missing = endpoints.map(permissionKey).filter((key) => !permissions.has(key))

  expect(missing).toEqual([])
})

it('has an endpoint for every row', () => {
  const known = new Set(endpoints.map(permissionKey))

  expect([...permissions.keys()].filter((key) => !known.has(key))).toEqual([])
})

it('tells every two endpoints apart', () => {
  expect(new Set(endpoints.map(permissionKey)).size).toBe(endpoints.length)
})

it('guards nothing that only reads', () => {
  const guardedReads = [...permissions].filter(([key, rule]) => key.startsWith('GET ') && rule.guard)

  expect(guardedReads).toEqual([])
})
