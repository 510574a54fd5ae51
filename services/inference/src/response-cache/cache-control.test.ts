import { brandOf } from '@ratchet/contracts/brand'
import { readCacheControl } from './cache-control.ts'

const read = (cache?: string, cacheTtl?: string, byDefault = false) =>
  readCacheControl({ cache, cacheTtl, byDefault, brand: brandOf() })
const off = { kind: 'off' }
const on = (ttlSeconds: number) => ({ kind: 'on', ttlSeconds })

it.each([
  [undefined, undefined, false, off],
  [undefined, undefined, true, on(86_400)],
  ['on', undefined, false, on(86_400)],
  ['On ', '60', false, on(60)],
  ['off', undefined, true, off],
  ['OFF', '60', true, off],
  [undefined, '60', false, off],
  [undefined, '1', true, on(1)],
  ['on', '2592000', true, on(2_592_000)],
])('reads %j for %j seconds, in a workspace whose default is %j', (cache, ttl, byDefault, expected) => {
  expect(read(cache, ttl, byDefault)).toEqual(expected)
})

it.each(['', 'yes', 'on, off', 'true'])('refuses %j as a switch, and names the header', (value) => {
  expect(() => read(value)).toThrow(expect.objectContaining({ code: 'invalid_request', param: 'X-Svc-Cache' }))
})

it.each(['', '0', '-1', '1.5', '1e3', '2592001', '99999999999', '0x10', '60s', '60, 60'])(
  'refuses %j seconds, also where the cache is off',
  (value) => {
    expect(() => read('off', value)).toThrow(
      expect.objectContaining({ code: 'invalid_request', param: 'X-Svc-Cache-Ttl' }),
    )
  },
)
