import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { type CallFailure, createEndpointClient, type EndpointAnswer, type EndpointRequest } from './endpoint-client.ts'

const putThing = endpoint({
  method: 'put',
  path: '/v1/things/:id',
  summary: 'S.',
  description: 'D.',
  service: 'alias',
  permission: 'any',
  params: z.object({ id: z.string() }),
  query: z.strictObject({ dry: z.stringbool().optional(), limit: z.coerce.number().optional() }),
  body: z.strictObject({ name: z.string() }),
  reply: z.object({ id: z.string(), at: z.string().transform((text) => new Date(text)) }),
})

class Refused extends Error {
  readonly failure: CallFailure
  constructor(failure: CallFailure) {
    super(failure.kind)
    this.failure = failure
  }
}

function clientThatGets(answer: Partial<EndpointAnswer>) {
  const sent: [EndpointRequest, string][] = []
  const client = createEndpointClient<string>({
    async send(request, context) {
      sent.push([request, context])
      return { status: 200, body: '{"id":"t1","at":"2026-11-21T12:00:00Z","new":1}', ...answer }
    },
    errorOf: (failure) => new Refused(failure),
  })
  return { client, sent }
}

const failureFor = async (answer: Partial<EndpointAnswer>) => {
  const { client } = clientThatGets(answer)
  const error = await client.call(putThing, { params: { id: 't1' } }, '').catch((thrown) => thrown)
  return error instanceof Refused ? error.failure : error
}

it('sends parameters, query, body and headers, and reads the reply', async () => {
  const { client, sent } = clientThatGets({})
  const input = { params: { id: 'a/b' }, query: { dry: true, limit: undefined }, body: { name: 'n' } }
  const { value, json } = await client.call(putThing, { ...input, idempotencyKey: 'k', ifMatch: 3 }, 'context')
  expect(value).toEqual({ id: 't1', at: new Date('2026-11-21T12:00:00Z') })
  expect(json).toEqual({ id: 't1', at: '2026-11-21T12:00:00Z', new: 1 })
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'k', 'if-match': '3' }
  const request = { method: 'PUT', path: '/v1/things/a%2Fb?dry=true', route: '/v1/things/:id', headers }
  expect(sent).toEqual([[{ ...request, body: '{"name":"n"}' }, 'context']])
})

it('sends neither a body nor a content type when none is given', async () => {
  const { client, sent } = clientThatGets({})
  await client.call(putThing, { params: { id: 't1' }, ifAbsent: true }, '')
  const headers = { 'if-none-match': '*' }
  expect(sent).toEqual([[{ method: 'PUT', path: '/v1/things/t1', route: '/v1/things/:id', headers }, '']])
})

it('reads the error of an unsuccessful answer', async () => {
  const error = { message: 'No.', type: 'invalid_request_error', code: 'not_found', param: 'id', request_id: 'r1' }
  expect(await failureFor({ status: 404, body: JSON.stringify({ error }) })).toEqual({
    kind: 'refused',
    status: 404,
    error,
  })
})

it.each([
  ['an error of another API', { status: 502, body: '<html>' }, 502],
  ['a redirect', { status: 302, body: '' }, 302],
  ['a reply of another API', { status: 200, body: '{"id":7}' }, 200],
  ['a reply that is not JSON', { status: 200, body: 'ok' }, 200],
])('does not understand %s', async (_name, answer, status) => {
  expect(await failureFor(answer)).toMatchObject({ kind: 'not_understood', status })
})
