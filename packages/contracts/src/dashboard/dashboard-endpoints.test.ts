import { operationName } from '../endpoint.ts'
import { dashboardEndpoints } from './dashboard-endpoints.ts'

it('reads small bodies only of those who did not sign in', () => {
  const open = dashboardEndpoints.filter(({ method, permission }) => permission === 'anyone' && method !== 'get')
  expect(open.length).toBeGreaterThan(5)
  expect(open.filter(({ maxBodyBytes }) => maxBodyBytes > 16_384).map(operationName)).toEqual([])
})
