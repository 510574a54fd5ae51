import { cpuMs } from '@ratchet/testing/cpu-time'
import { cleanTarget } from './clean-target.ts'

it.each([
  ['/v1/chat/completions', '/v1/chat/completions'],
  ['/v1/models', '/v1/models'],
  [
    '/v1/logs?tag=a%2Fb&q=x..y//z&start=2026-01-01T00:00:00Z',
    '/v1/logs?tag=a%2Fb&q=x..y//z&start=2026-01-01T00:00:00Z',
  ],
  ['/v1/models/openai/gpt-4o', '/v1/models/openai/gpt-4o'],
  ['/v1/models/openai%2Fgpt-4o', '/v1/models/openai/gpt-4o'],
  ['/v1/models/a%2fb%2Fc?x=%2F', '/v1/models/a/b/c?x=%2F'],
  ['/v1/models/gpt-4%2E1', '/v1/models/gpt-4%2E1'],
  ['/v1/things/...', '/v1/things/...'],
  ['/v1/things/.hidden', '/v1/things/.hidden'],
  ['/v1/things/a%20b', '/v1/things/a%20b'],
  ['/', '/'],
])('accepts %s as %s', (target, url) => {
  expect(cleanTarget(target)).toEqual({ url, path: url.split('?')[0] })
})

it.each([
  'http://evil.example/v1/models',
  'evil.example:443',
  '*',
  '',
  '//v1/models',
  '/v1//models',
  '/v1/models//x',
  '/v1/../x',
  '/v1/./models',
  '/v1/models/..',
  '/v1/%2e%2e/x',
  '/v1/%2E%2e/x',
  '/v1/.%2e/x',
  '/v1/%252e%252e/x',
  '/v1/%25252e./x',
  '/v1/things/a%2fb',
  '/v1/things/a%2Fb',
  '/v1/things/a%5cb',
  '/v1/things/a%5Cb',
  '/v1/things/a%00b',
  '/v1/things/a%252fb',
  '/v1/models/a%5Cb',
  '/v1/models/a%252Fb',
  '/v1/models/a%2F..%2F..%2Fadmin',
  '/v1/models/a%2F%2e%2e%2Fadmin',
  '/v1/models/a%2F%2Fb',
  '/v1%2Fmodels/a',
  '/v1\\models',
  '/v1/models\\..\\x',
  '/v1/mod els',
  '/v1/mod\tels',
  '/v1/mod\u0000els',
  '/v1/modèls',
  '/v1/models#x',
  '/v1/models?a#x',
  '/v1/models?a=%00',
  '/v1/models?a=\u0001',
  '/v1/models?a=é',
  '/v1/models/%zz',
  '/v1/models/%2',
])('refuses %j', (target) => {
  expect(() => cleanTarget(target)).toThrow(expect.objectContaining({ code: 'invalid_request' }))
})

it('takes time linear in the length of the target', () => {
  const hostile = [
    '/'.repeat(8_000),
    `/${'a/'.repeat(8_000)}..`,
    `/${'%25'.repeat(5_000)}2f`,
    `/${'a.'.repeat(8_000)}/%`,
  ]
  for (const target of hostile) expect(cpuMs(() => expect(() => cleanTarget(target)).toThrow())).toBeLessThan(100)
})
