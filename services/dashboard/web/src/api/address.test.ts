import { addressOf } from './address.ts'

it('reaches endpoints of services through the workspace of the page', () => {
  expect(addressOf('/v1/logs?limit=5', 'demo')).toBe('/api/w/demo/v1/logs?limit=5')
  expect(addressOf('/session/wallet', 'a/b')).toBe('/api/w/a%2Fb/session/wallet')
})

it("leaves the dashboard's own endpoints as they are", () => {
  expect(addressOf('/api/me', null)).toBe('/api/me')
})

it('refuses an endpoint of a workspace outside of workspaces', () => {
  expect(() => addressOf('/v1/logs', null)).toThrow(RangeError)
})
