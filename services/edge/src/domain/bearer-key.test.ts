import { bearerKey } from './bearer-key.ts'

it.each([
  ['Bearer sk_svc_x', 'sk_svc_x'],
  ['bearer sk_svc_x', 'sk_svc_x'],
  ['BEARER   sk_svc_x', 'sk_svc_x'],
  ['Bearer a, Bearer b', 'a, Bearer b'],
  ['Basic sk_svc_x', null],
  ['Bearersk_svc_x', null],
  ['Bearer', null],
  ['', null],
  [null, null],
])('reads %j as %j', (authorization, key) => {
  expect(bearerKey(authorization)).toBe(key)
})
