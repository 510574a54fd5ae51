import { readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { type Endpoint, endpointsOf, type OpenApi } from './openapi.ts'
import { endpointFile, endpointPage, referencePages, typePage } from './reference-pages.ts'

const document = JSON.parse(readFileSync(path.join(repositoryRoot, 'docs/openapi.json'), 'utf8')) as OpenApi

const rename: Endpoint = {
  method: 'PATCH',
  path: '/v1/things/{id}',
  operationId: 'patchThing',
  summary: 'Rename a thing.',
  'x-permission': 'owner_admin',
  parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string', maxLength: 40 } }],
  requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Rename' } } } },
  responses: {
    200: {
      description: 'The thing.',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
    },
    404: { description: 'Codes: not_found.' },
  },
}
const schemas = {
  Rename: {
    properties: { name: { type: 'string', minLength: 1, maxLength: 80, description: 'With a | in it.' } },
    required: ['name'],
  },
}

it('has one page for each endpoint and each named type, and a list', () => {
  const endpoints = endpointsOf(document)
  const files = referencePages(document).map(({ file }) => file)
  expect(new Set(files).size).toBe(files.length)
  expect(files).toHaveLength(endpoints.length + Object.keys(document.components.schemas).length + 1)
  expect(files).toEqual(expect.arrayContaining(endpoints.map(endpointFile)))
})

it('says of an endpoint who may call it, how, and what comes back', () => {
  const text = endpointPage(rename, schemas)
  expect(text).toContain('# PATCH /v1/things/{id}')
  expect(text).toContain('owners and admins')
  expect(text).toContain('curl -X PATCH "$BASE_URL/v1/things/{id}"')
  expect(text).toContain('| `id` | path | yes | string | at most 40 characters |')
  expect(text).toContain('| 200 | The thing. | [Thing](../types/Thing.md) |')
  expect(text).toContain('| 404 | Codes: not_found. |  |')
})

it('shows the fields of a body, with limits, in cells that stay cells', () => {
  expect(endpointPage(rename, schemas)).toContain('| `name` | yes | string | 1 to 80 characters | With a \\| in it. |')
})

it.each([
  [{ type: ['string', 'null'] }, 'string or null'],
  [{ enum: ['a', 'b'] }, '`"a"` or `"b"`'],
  [{ type: 'array', items: { $ref: '#/components/schemas/Thing' } }, 'list of [Thing](../types/Thing.md)'],
  [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'integer or null'],
  [{ type: 'object', additionalProperties: { type: 'number' } }, 'object of number'],
])('names the type of %j', (schema, expected) => {
  expect(typePage('T', schema)).toBe(`# T\n\n${expected}\n`)
})
