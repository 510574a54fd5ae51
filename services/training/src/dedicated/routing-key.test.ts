import { routingKey } from './routing-key.ts'

const bytes = Uint8Array.from([0, 0, 0, 0])

it.each([
  ['Support (EU)', 'support-eu-aaaaaa'],
  ['日本', 'endpoint-aaaaaa'],
  ['a'.repeat(64), `${'a'.repeat(33)}-aaaaaa`],
  [`${'a'.repeat(32)} b`, `${'a'.repeat(32)}-aaaaaa`],
])('%s', (name, key) => {
  expect(routingKey(name, bytes)).toBe(key)
  expect(key).toMatch(/^[a-z0-9-]{3,40}$/)
})

it('ends with random characters', () => {
  expect(routingKey('x', Uint8Array.from([0xff, 0xff, 0xff, 0xff]))).toBe('x-777777')
})
