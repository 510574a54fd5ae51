import { splitQuery, webhookUrlProblem } from './check-webhook-url.ts'

const rules = { customHosts: true, allowedHosts: new Set(['10.0.0.5']) }

it.each([
  ['https://example.com/hooks'],
  ['https://example.com/hooks?team=a&x=%20'],
  ['https://example.com?a=https://b.c/?d'],
  ['https://10.0.0.5/hooks?team=a'],
])('%s can receive messages', (url) => {
  expect(webhookUrlProblem(url, rules)).toBeNull()
})

it.each([
  ['http://example.com/', 'its scheme must be https'],
  ['https://10.0.0.6/?a=b', 'the address 10.0.0.6 is not public'],
  ['https://example.com/#part', 'it must not have a query or a fragment'],
  ['https://example.com/?a=b#part', 'its query is not valid'],
  ['https://example.com/?a b', 'its query is not valid'],
  ['https://example.com/?a\r\nhost: b', 'its query is not valid'],
  ['https://example.com/?ä', 'its query is not valid'],
])('%s cannot: %s', (url, reason) => {
  expect(webhookUrlProblem(url, rules)).toBe(reason)
})

it.each(['http://127.0.0.1:18998/hook?a=b', 'http://localhost:3000/', 'http://[::1]:3000/'])(
  '%s receives messages only where the operator allows it, and the refusal says so',
  (url) => {
    expect(webhookUrlProblem(url, rules)).toContain('WEBHOOK_LOOPBACK_HTTP=on')
    expect(webhookUrlProblem(url, { ...rules, loopbackHttp: true })).toBeNull()
  },
)

it('splits at the first question mark', () => {
  expect(splitQuery('https://a.b/c?d=e?f')).toEqual({ base: 'https://a.b/c', query: '?d=e?f' })
  expect(splitQuery('https://a.b/c')).toEqual({ base: 'https://a.b/c', query: '' })
})
