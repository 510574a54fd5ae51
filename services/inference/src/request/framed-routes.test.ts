import { inferenceSurfaces } from '@ratchet/contracts/inference-surfaces'
import { anything } from '@ratchet/testing/routes-of'
import { requestWith } from './request-records.fixture.ts'
import { routeInference } from './routes.ts'

const response = { setHeader() {} } as unknown as Parameters<typeof routeInference>[2]

function route(method: string, path: string) {
  return routeInference(anything(), { ...requestWith({ 'content-type': 'text/plain' }), method, path }, response)
}

it.each(inferenceSurfaces)(
  'serves $method $path, which the edge sends in frames, to a known caller',
  async ({ path }) => {
    await expect(route('POST', path)).rejects.toThrow('without requireIdentity()')
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
