import { callerKey } from './caller-key.ts'

const messages = '/v1/messages'

it.each([
  ['x-api-key alone', { authorization: null, apiKey: 'k' }, messages, 'k'],
  ['x-api-key below it', { authorization: null, apiKey: 'k' }, '/v1/messages/count_tokens', 'k'],
  ['a bearer alone', { authorization: 'Bearer k', apiKey: null }, messages, 'k'],
  ['the same key twice', { authorization: 'Bearer k', apiKey: 'k' }, messages, 'k'],
  ['two keys', { authorization: 'Bearer k', apiKey: 'other' }, messages, null],
  ['another scheme beside x-api-key', { authorization: 'Basic k', apiKey: 'k' }, messages, null],
  ['an empty Authorization beside x-api-key', { authorization: '', apiKey: 'k' }, messages, null],
  ['neither', { authorization: null, apiKey: null }, messages, null],
  ['x-api-key elsewhere', { authorization: null, apiKey: 'k' }, '/v1/chat/completions', 'k'],
  ['x-api-key at a list', { authorization: null, apiKey: 'k' }, '/v1/models', 'k'],
  ['another scheme beside x-api-key elsewhere', { authorization: 'Basic k', apiKey: 'k' }, '/v1/models', null],
  ['another x-api-key elsewhere', { authorization: 'Bearer k', apiKey: 'other' }, '/v1/models', 'k'],
])('reads %s', (_what, head, path, key) => {
  expect(callerKey(head, path)).toBe(key)
})

it.each([
  ['Bearer sk_svc_x', 'sk_svc_x'],
  ['bearer sk_svc_x', 'sk_svc_x'],
  ['BEARER   sk_svc_x', 'sk_svc_x'],
  ['Bearer a, Bearer b', 'a, Bearer b'],
  ['Basic sk_svc_x', null],
  ['Bearersk_svc_x', null],
  ['Bearer', null],
  ['', null],
])('reads Authorization: %s as %j', (authorization, key) => {
  expect(callerKey({ authorization, apiKey: null }, '/v1/models')).toBe(key)
})
