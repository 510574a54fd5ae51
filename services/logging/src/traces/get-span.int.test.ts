import { getSpan, getTrace } from '@ratchet/contracts/traces'
import { type LoggingService, startLoggingService } from '../logging-service.fixture.ts'

let service: LoggingService
beforeAll(async () => {
  service = await startLoggingService()
})
afterAll(() => service.stop())

const times = { startTimeUnixNano: `${Date.now()}000000`, endTimeUnixNano: `${Date.now()}000000` }
const traceId = 'a'.repeat(32)

async function get(path: string, workspaceId = service.workspaceId) {
  const response = await service.send({ method: 'GET', path, workspaceId })
  return { status: response.status, body: (await response.json()) as object }
}

it('reads the attributes of a span when it is opened, and leaves them out of the trace without content', async () => {
  const attributes = [{ key: 'note', value: { stringValue: 'Long. '.repeat(1_000) } }]
  const call = [{ key: 'gen_ai.request.model', value: { stringValue: 'acme/large' } }]
  const messages = JSON.stringify([{ role: 'user', content: 'Hi' }])
  const spans = [
    { ...times, traceId, spanId: '1'.repeat(16), name: 'lookup', attributes },
    {
      ...times,
      traceId,
      spanId: '2'.repeat(16),
      name: 'chat',
      attributes: [
        ...call,
        { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
        { key: 'gen_ai.input.messages', value: { stringValue: messages } },
        { key: 'gen_ai.output.messages', value: { stringValue: '[{"role":"assistant","content":"Hello."}]' } },
      ],
    },
  ]
  const body = { resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans }] }] }
  const { workspaceId } = service
  expect((await service.send({ method: 'POST', path: '/v1/traces', body, workspaceId })).status).toBe(200)
  const path = `/v1/traces/${traceId}`
  const [whole, skeleton] = [await get(path), await get(`${path}?content=none`)]
  const [span] = getTrace.reply.parse(whole.body).spans
  expect(span).toMatchObject({ span_id: '1'.repeat(16), attributes: { note: expect.stringContaining('Long.') } })
  const { attributes: _, ...withoutAttributes } = span ?? { attributes: {} }
  expect(skeleton.body).toMatchObject({ spans: [withoutAttributes] })
  expect(JSON.stringify(skeleton.body)).not.toContain('Long.')
  const opened = await get(`${path}/spans/${'1'.repeat(16)}`)
  expect(getSpan.reply.parse(opened.body)).toEqual(span)
})

it('answers 404 for an unknown span, and for a span of another workspace or trace', async () => {
  const other = await service.addWorkspace()
  const path = `/v1/traces/${traceId}/spans/${'1'.repeat(16)}`
  expect((await get(path)).status).toBe(200)
  expect((await get(path.replaceAll('1', '3'))).status).toBe(404)
  expect((await get(path.replaceAll('a'.repeat(32), 'b'.repeat(32)))).status).toBe(404)
  expect((await get(path, other)).status).toBe(404)
  const invalid = await get(`/v1/traces/${traceId}/spans/%00`)
  expect(invalid).toMatchObject({ status: 400, body: { error: { code: 'invalid_request', param: 'span_id' } } })
})
