import { type BaseUrlRules, checkBaseUrl } from './check-base-url.ts'
import { hostileUrls } from './hostile-urls.fixture.ts'

const open: BaseUrlRules = { customHosts: true, allowedHosts: new Set() }
const closed: BaseUrlRules = { customHosts: false, allowedHosts: new Set() }

it('tests more than sixty hostile URLs', () => {
  expect(new Set(hostileUrls.map(([url]) => url)).size).toBeGreaterThan(60)
})

it.each(hostileUrls)('refuses %j with a message that contains "%s"', (url, says) => {
  expect(checkBaseUrl(url, open)).toEqual({ kind: 'refused', reason: expect.stringContaining(says) })
})

it.each([
  ['https://api.example.com/v1', 'https://api.example.com', 'api.example.com', '/v1'],
  ['https://api.example.com', 'https://api.example.com', 'api.example.com', ''],
  ['https://API.Example.com./v1/', 'https://api.example.com', 'api.example.com', '/v1'],
  ['https://api.example.com:443/', 'https://api.example.com', 'api.example.com', ''],
  ['https://api.example.com:8443/a/b', 'https://api.example.com:8443', 'api.example.com', '/a/b'],
  ['https://xn--bcher-kva.example/', 'https://xn--bcher-kva.example', 'xn--bcher-kva.example', ''],
  ['https://8.8.8.8/v1', 'https://8.8.8.8', '8.8.8.8', '/v1'],
  ['https://0x08.8.8.8/v1', 'https://8.8.8.8', '8.8.8.8', '/v1'],
  ['https://[2606:4700:0::1]/v1', 'https://[2606:4700::1]', '2606:4700::1', '/v1'],
  ['https://acme.openai.azure.com/openai/v1', 'https://acme.openai.azure.com', 'acme.openai.azure.com', '/openai/v1'],
])('normalizes %s', (url, origin, hostname, basePath) => {
  expect(checkBaseUrl(url, open)).toEqual({ kind: 'ok', origin, hostname, basePath, isAllowedByOperator: false })
})

it('accepts no host unless the operator enabled custom hosts', () => {
  expect(checkBaseUrl('https://api.example.com/v1', closed)).toEqual({
    kind: 'refused',
    reason: 'the host api.example.com is not one that the operator allows',
  })
})

it('accepts exactly the hosts that the operator named, private ones too', () => {
  const rules: BaseUrlRules = { customHosts: false, allowedHosts: new Set(['vllm.internal', '10.0.0.7', '::1']) }
  const hosts = ['vllm.internal', '10.0.0.7', '[::1]', 'x.vllm.internal', '10.0.0.8', 'vllm.internal.example.com']
  const kinds = hosts.map((host) => checkBaseUrl(`https://${host}:8443/v1`, rules).kind)
  expect(kinds).toEqual(['ok', 'ok', 'ok', 'refused', 'refused', 'refused'])
  expect(checkBaseUrl('https://167772167:8443/', rules)).toMatchObject({ kind: 'ok', hostname: '10.0.0.7' })
})

it('requires https also from a host that the operator named', () => {
  const rules: BaseUrlRules = { customHosts: false, allowedHosts: new Set(['vllm.internal']) }
  expect(checkBaseUrl('http://vllm.internal:8000/v1', rules)).toMatchObject({ reason: 'its scheme must be https' })
})

it('accepts plain http for tests only, and to loopback only', () => {
  const rules: BaseUrlRules = { ...closed, loopbackHttp: true }
  expect(checkBaseUrl('http://127.0.0.1:8089/v1', rules)).toMatchObject({ kind: 'ok', isAllowedByOperator: true })
  expect(checkBaseUrl('http://10.0.0.1:8089/v1', rules).kind).toBe('refused')
  expect(checkBaseUrl('http://127.0.0.1.example.com:8089/v1', rules).kind).toBe('refused')
})
