import { identityHeader } from '@ratchet/contracts/identity'
import { deriveAudienceKey, verifyIdentity } from '@ratchet/service-kit/identity/identity'
import { createDrain } from '@ratchet/service-kit/process/drain'
import { eventually } from '@ratchet/testing/eventually'
import { workspaceId } from '../edge.fixture.ts'
import {
  begin,
  create,
  finish,
  frame,
  openSocket,
  type Received,
  scriptedResponses,
  slowly,
} from './sockets.fixture.ts'

const { received, answerWith, startEdge, open } = scriptedResponses()

describe('a turn', () => {
  it('is one streamed request, and each of its events is one message', async () => {
    const edge = await startEdge()
    const client = await open(edge)
    client.websocket.send('{"type":"response.create", "model":"a","temperature":1.00,"input":"hi"}')
    await client.message('response.completed')
    expect(client.messages.map(({ type }) => type)).toEqual([
      'response.created',
      'response.output_text.delta',
      'response.completed',
    ])
    const [{ request, body }] = received() as [Received]
    expect([request.method, request.url, request.headers['content-type']]).toEqual([
      'POST',
      '/v1/responses',
      'application/json',
    ])
    expect(body).toBe('{"model":"a","temperature":1.00,"input":"hi","stream":true}')
  })

  it('is sent with the identity of the key, signed for this request', async () => {
    const edge = await startEdge()
    const client = await open(edge)
    client.send(create)
    await client.message('response.completed')
    const { headers } = (received()[0] as Received).request
    const key = { id: 'k1', secret: deriveAudienceKey(edge.masterSecret, 'inference') }
    const bound = { requestId: String(headers['x-request-id']), method: 'POST', path: '/v1/responses' }
    const verified = verifyIdentity(
      [key],
      { audience: 'inference', ...bound },
      String(headers[identityHeader]),
      Date.now(),
    )
    expect(verified?.identity.workspaceId).toBe(workspaceId)
  })

  it('has the switches of the opening request, but not its idempotency key, and an id of its own', async () => {
    const edge = await startEdge()
    const client = await open(edge, { 'x-svc-log': 'off', 'x-svc-tag': 'codex', 'idempotency-key': 'once' })
    client.send(create)
    await client.message('response.completed')
    client.send(create)
    await client.message('response.completed', client.messages.length)
    const heads = received().map(({ request }) => request.headers)
    expect(heads.map((each) => [each['x-svc-log'], each['x-svc-tag'], each['idempotency-key']])).toEqual([
      ['off', 'codex', undefined],
      ['off', 'codex', undefined],
    ])
    expect(new Set(heads.map((each) => each['x-request-id'])).size).toBe(2)
  })

  it('may name its own trace, as Codex does', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const edge = await startEdge()
    const client = await open(edge, { traceparent: traceparent.replace('0af7', '1111') })
    client.send({ ...create, client_metadata: { ws_request_header_traceparent: traceparent } })
    await client.message('response.completed')
    expect((received()[0] as Received).request.headers.traceparent).toBe(traceparent)
  })

  it('says in its first event what the head of an HTTP answer says', async () => {
    const edge = await startEdge()
    const client = await open(edge)
    client.send(create)
    const { headers } = await client.message('response.created')
    expect(headers).toMatchObject({ 'x-svc-served-model': 'sim/small', 'x-request-id': expect.any(String) })
    expect(headers).not.toHaveProperty('content-type')
    expect((await client.message('response.completed')).headers).toBeUndefined()
  })

  it('fails with an error event that has the status and the headers', async () => {
    answerWith(({ response }) => {
      response.writeHead(429, { 'content-type': 'application/json', 'retry-after': '7' })
      response.end(JSON.stringify({ error: { code: 'rate_limit_exceeded', type: 'rate_limit_error', message: 'm' } }))
    })
    const edge = await startEdge()
    const client = await open(edge)
    client.send({ ...create, stream_id: 'main' })
    expect(await client.message('error')).toMatchObject({
      status: 429,
      stream_id: 'main',
      error: { code: 'rate_limit_exceeded', type: 'rate_limit_error' },
      headers: { 'retry-after': '7' },
    })
    answerWith(finish)
    client.send(create)
    expect(await client.message('response.completed')).toBeDefined()
  })

  it('is abandoned when the client closes in the middle of it', async () => {
    const left = new Promise<void>((resolve) => {
      answerWith((one, count) => {
        begin(one, count)
        one.response.once('close', resolve)
      })
    })
    const edge = await startEdge()
    const client = await open(edge)
    client.send(create)
    await client.message('response.created')
    client.websocket.close()
    await left
    const counted = await edge.metric('ratchet_edge_client_disconnects_total')
    expect(counted).toContain('{upstream="inference",reason="disconnected",} 1')
  })

  it('that the service cuts closes the connection with 1011, so that the client knows', async () => {
    answerWith((one, count) => {
      begin(one, count)
      setImmediate(() => one.request.socket.destroy())
    })
    const edge = await startEdge()
    const client = await open(edge)
    client.send(create)
    expect(await client.closed).toBe(1011)
  })

  it('that fails in the middle ends with an error event, and the connection goes on', async () => {
    answerWith((one, count) => {
      begin(one, count)
      const error = { code: null, type: 'upstream_error', message: 'm' }
      one.response.write(frame('error', { ...error, type: 'error', error }), () => one.request.socket.destroy())
    })
    const edge = await startEdge()
    const client = await open(edge)
    client.send(create)
    expect(await client.message('error')).toMatchObject({ status: 502, error: { type: 'upstream_error' } })
    answerWith(finish)
    client.send(create)
    expect(await client.message('response.completed')).toBeDefined()
  })

  it('waits for a client that does not read, which is disconnected after some time', async () => {
    answerWith((one, count) => {
      begin(one, count)
      const delta = frame('response.output_text.delta', { delta: 'x'.repeat(100_000) })
      const write = () => {
        while (!one.response.destroyed && one.response.write(delta));
        if (!one.response.destroyed) one.response.once('drain', write)
      }
      write()
    })
    const edge = await startEdge({ stalledClientMs: 300 })
    const client = await open(edge)
    client.websocket.pause()
    client.send(create)
    const stalled = '{upstream="inference",reason="stalled",} 1'
    await eventually(
      async () => (await edge.metric('ratchet_edge_client_disconnects_total')).includes(stalled) || null,
      { withinMs: 45_000 },
    )
  })
})

describe('a chain of responses that nobody stored', () => {
  const unstored = { ...create, store: false }
  const say = (content: string) => [{ role: 'user', content }]

  it('is continued from memory: every item is sent again, as it was', async () => {
    const edge = await startEdge()
    const client = await open(edge)
    client.send(unstored)
    await client.message('response.completed')
    client.send({ ...unstored, previous_response_id: 'resp_1', input: 'and then?' })
    const second = await client.message('response.completed', client.messages.length)
    client.send({ ...unstored, previous_response_id: 'resp_2', input: say('last') })
    await client.message('response.completed', client.messages.length)
    const { input, previous_response_id } = JSON.parse((received()[2] as Received).body)
    expect(previous_response_id).toBeUndefined()
    expect(input).toEqual([
      ...say('hi'),
      { type: 'message', id: 'msg_1', role: 'assistant', content: 'answer 1' },
      { type: 'message', role: 'user', content: 'and then?' },
      { type: 'message', id: 'msg_2', role: 'assistant', content: 'answer 2' },
      ...say('last'),
    ])
    expect(second.response).toMatchObject({ id: 'resp_2', previous_response_id: 'resp_1' })
  })

  it('goes on with the stored response that it began with', async () => {
    const edge = await startEdge()
    const client = await open(edge)
    client.send({ ...unstored, previous_response_id: 'resp_stored' })
    await client.message('response.completed')
    client.send({ ...unstored, previous_response_id: 'resp_1', input: say('more') })
    await client.message('response.completed', client.messages.length)
    const { input, previous_response_id } = JSON.parse((received()[1] as Received).body)
    expect(previous_response_id).toBe('resp_stored')
    expect(input).toHaveLength(3)
  })

  it('is not kept of stored responses, nor on another connection', async () => {
    const edge = await startEdge()
    const [one, other] = [await open(edge), await open(edge)]
    one.send({ ...create, store: true })
    await one.message('response.completed')
    one.send({ ...unstored, previous_response_id: 'resp_1' })
    await one.message('response.completed', one.messages.length)
    other.send({ ...unstored, previous_response_id: 'resp_2' })
    await other.message('response.completed')
    const bodies = received().map(({ body }) => JSON.parse(body))
    expect(bodies.slice(1).map((body) => [body.previous_response_id, body.input.length])).toEqual([
      ['resp_1', 1],
      ['resp_2', 1],
    ])
  })

  it('is forgotten when a turn fails that continues it', async () => {
    const edge = await startEdge()
    const client = await open(edge)
    client.send(unstored)
    await client.message('response.completed')
    answerWith(({ response }) => response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{}}'))
    client.send({ ...unstored, previous_response_id: 'resp_1' })
    await client.message('error')
    client.send({ ...unstored, previous_response_id: 'resp_1' })
    await eventually(() => received().length === 3 || null)
    expect(JSON.parse((received()[2] as Received).body).previous_response_id).toBe('resp_1')
  })

  it('may be continued in another lane, whose events name it', async () => {
    const edge = await startEdge()
    const client = await open(edge)
    client.send({ ...unstored, stream_id: 'a' })
    await client.message('response.completed')
    client.send({ ...unstored, stream_id: 'b', previous_response_id: 'resp_1', input: say('fork') })
    await client.message('response.completed', client.messages.length)
    expect(JSON.parse((received()[1] as Received).body).input).toHaveLength(3)
    expect(client.messages.map((message) => message.stream_id)).toEqual(['a', 'a', 'a', 'b', 'b', 'b'])
  })
})

it('a turn that is too large with what it continues is refused, forgets it, and its lane goes on', async () => {
  const held: Received[] = []
  const drain = createDrain()
  const edge = await startEdge({ health: { drain, checks: {}, now: () => new Date() } })
  const client = await open(edge)
  client.send({ ...create, store: false, input: 'x'.repeat(6_000_000) })
  await client.message('response.completed')
  answerWith((one) => held.push(one))
  client.send(create)
  await eventually(() => held.length === 1 || null)
  client.send({ ...create, previous_response_id: 'resp_1', input: 'x'.repeat(5_000_000) })
  client.send({ ...create, previous_response_id: 'resp_1', input: 'short' })
  // The answer to a ping shows that all before it was read.
  client.websocket.ping()
  await new Promise((resolve) => client.websocket.once('pong', resolve))
  drain.begin()
  finish(held[0] as Received, 2)
  expect(await client.message('error')).toMatchObject({ status: 413, error: { code: 'request_too_large' } })
  await eventually(() => held.length === 2 || null)
  expect(JSON.parse((held[1] as Received).body).previous_response_id).toBe('resp_1')
  finish(held[1] as Received, 3)
  expect(await client.closed).toBe(1001)
})

describe('lanes', () => {
  it('are not used up: any number of them may come one after the other', async () => {
    const edge = await startEdge()
    const client = await open(edge)
    for (let each = 0; each < 40; each += 1) {
      const from = client.messages.length
      client.send({ ...create, stream_id: `lane ${each}` })
      await client.message('response.completed', from)
    }
    expect(client.messages.filter(({ type }) => type === 'error')).toEqual([])
  })

  it('have no reader of their own: what waits behind a long answer is not cut while the client reads', async () => {
    answerWith((one, count) => {
      begin(one, count)
      if (count > 1) return void one.response.end(frame('response.completed', { response: {} }))
      for (let each = 0; each < 3; each += 1) {
        one.response.write(frame('response.output_text.delta', { delta: 'x'.repeat(18_000_000) }))
      }
      one.response.end(frame('response.completed', { response: {} }))
    })
    const edge = await startEdge({ stalledClientMs: 1_500 })
    const slow = await slowly(edge.port, 6_000)
    const headers = { authorization: `Bearer ${edge.mint()}` }
    const client = await openSocket(`ws://127.0.0.1:${slow.port}/v1/responses`, { headers })
    client.send({ ...create, stream_id: 'long' })
    await eventually(() => received().length === 1 || null)
    client.send({ ...create, stream_id: 'short' })
    const ended = () => client.messages.filter(({ type }) => type === 'response.completed')
    await eventually(
      () => (client.websocket.readyState !== client.websocket.OPEN || ended().length === 2 ? true : null),
      {
        withinMs: 60_000,
      },
    )
    expect(ended()).toHaveLength(2)
    client.websocket.terminate()
    slow.stop()
  }, 180_000)

  it('run one turn after the other, and beside each other', async () => {
    const held: Received[] = []
    answerWith((one) => held.push(one))
    const edge = await startEdge()
    const client = await open(edge)
    for (const stream_id of ['a', 'a', 'b']) client.send({ ...create, stream_id })
    await eventually(() => held.length === 2 || null)
    for (const each of held) finish(each, 1)
    await eventually(() => held.length === 3 || null)
    expect(client.messages.slice(0, 6).map(({ stream_id }) => stream_id)).toEqual(['a', 'a', 'a', 'b', 'b', 'b'])
  })

  it.each([
    ['lanes', Array.from({ length: 33 }, (_each, index) => `lane ${index}`)],
    ['waiting turns', Array.from({ length: 34 }, () => 'one')],
  ])('have a bound: too many %s are refused, and the others go on', async (_what, names) => {
    answerWith(() => undefined)
    const edge = await startEdge()
    const client = await open(edge)
    for (const stream_id of names) client.send({ ...create, stream_id })
    const { status, error, stream_id } = await client.message('error')
    expect([status, error, stream_id]).toEqual([
      429,
      expect.objectContaining({ code: 'websocket_stream_limit_reached' }),
      names.at(-1),
    ])
    expect(received().length).toBeLessThanOrEqual(16)
  })
})

describe('a client most of whose messages are refused', () => {
  it('gets an answer to a hundred of them, and the connection is closed', async () => {
    const client = await open(await startEdge())
    for (let each = 0; each < 1_000; each += 1) client.send({})
    expect(await client.closed).toBe(1008)
    expect(client.messages.length).toBeGreaterThanOrEqual(100)
    expect(client.messages.length).toBeLessThan(110)
  }, 60_000)

  it('still gets the rest of the answer that was running', async () => {
    const waiting: (() => void)[] = []
    answerWith((one, count) => {
      begin(one, count)
      waiting.push(() => one.response.end(frame('response.completed', { response: { id: 'r', output: [] } })))
    })
    const client = await open(await startEdge())
    client.send(create)
    await client.message('response.created')
    for (let each = 0; each < 200; each += 1) client.send({})
    await eventually(() => client.messages.length > 100 || null)
    for (const end of waiting) end()
    await client.message('response.completed')
    expect(await client.closed).toBe(1008)
  }, 60_000)
})
