import { brandOf } from '@ratchet/contracts/brand'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { inferenceSurfaces } from '@ratchet/contracts/inference-surfaces'
import { type NamedKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import { requireIdentity } from '@ratchet/service-kit/identity/require-identity'
import { anything } from '@ratchet/testing/routes-of'
import pino from 'pino'
import { testNow } from '../app.fixture.ts'
import { requestWith, testIdentity, testRequestId } from './request-records.fixture.ts'
import { routeInference } from './routes.ts'

const response = { setHeader() {}, once() {} } as unknown as Parameters<typeof routeInference>[2]

const key: NamedKey = { id: 'k1', secret: Buffer.alloc(32) }

function route(method: string, path: string) {
  const bound = { audience: 'inference', requestId: testRequestId, method, path }
  const signed = signIdentity(key, bound, testIdentity, testNow().getTime())
  const headers = { 'content-type': 'text/plain', [requestIdHeader]: testRequestId, [identityHeader]: signed }
  const request = { ...requestWith(headers), method, path, originalUrl: path }
  const logger = pino({ level: 'silent' })
  requireIdentity({ audience: 'inference', keys: [key], now: testNow, logger })(request, response, () => undefined)
  const deps = Object.assign(anything<Parameters<typeof routeInference>[0]>(), { now: testNow, brand: brandOf() })
  return routeInference(deps, request, response)
}

it.each(inferenceSurfaces)(
  'serves $method $path, which the edge sends in frames, to a known caller',
  async ({ path }) => {
    await expect(route('POST', path)).rejects.toMatchObject({ code: 'unsupported_media_type' })
  },
)

it.each([
  ['GET', '/v1/chat/completions'],
  ['POST', '/v1/chat/completions/'],
  ['POST', '/v1/CHAT/completions'],
  ['POST', '/internal/wallet'],
])('has no route for %s %s', (method, path) => {
  expect(route(method, path)).toBeNull()
})
