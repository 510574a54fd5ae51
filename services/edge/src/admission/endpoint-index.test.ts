import { extraEndpoints } from '../edge.fixture.ts'
import { createEndpointIndex } from './endpoint-index.ts'

const index = createEndpointIndex(extraEndpoints)

it.each([
  ['POST', '/v1/chat/completions', '/v1/chat/completions'],
  ['GET', '/v1/models', '/v1/models'],
  ['HEAD', '/v1/models', '/v1/models'],
  ['GET', '/v1/models/openai/gpt-4o', '/v1/models/*id'],
  ['GET', '/v1/models/a', '/v1/models/*id'],
  ['GET', '/v1/things/7', '/v1/things/:id'],
  ['DELETE', '/v1/things/7', '/v1/things/:id'],
])('finds %s %s', (method, path, pattern) => {
  expect(index.find(method, path)).toMatchObject({ kind: 'found', endpoint: { path: pattern } })
})

it.each([
  '/v1',
  '/v1/',
  '/v1/model',
  '/v1/models-x',
  '/v1/models/',
  '/v1/models/a/',
  '/v1/things/7/8',
  '/v1/things/',
  '/v1/chat/completions/',
  '/v1/Chat/completions',
  '/V1/models',
  '/metrics/x',
  '/__proto__',
  '/v1/constructor',
])('does not find %s', (path) => {
  expect(index.find('GET', path)).toEqual({ kind: 'unknown-url' })
})

it.each([
  ['GET', '/v1/chat/completions', 'POST'],
  ['OPTIONS', '/v1/models', 'GET, HEAD'],
  ['PUT', '/v1/things/7', 'GET, HEAD, DELETE'],
  ['POST', '/v1/models/openai/gpt-4o', 'GET, HEAD, DELETE'],
  ['constructor', '/v1/models', 'GET, HEAD'],
])('returns the allowed methods for %s %s', (method, path, allow) => {
  expect(index.find(method, path)).toEqual({ kind: 'other-method', allow })
})
