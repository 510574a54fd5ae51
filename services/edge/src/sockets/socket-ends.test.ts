import { once } from 'node:events'
import { connect } from 'node:net'
import { createDrain } from '@ratchet/service-kit/process/drain'
import { eventually } from '@ratchet/testing/eventually'
import { createCors } from '../admission/cors.ts'
import { type TestEdge, unknownKey } from '../edge.fixture.ts'
import { defaultSocketLimits } from './open-sockets.ts'
import { begin, create, finish, openSocket, type Received, scriptedResponses } from './sockets.fixture.ts'

const { received, answerWith, startEdge, open } = scriptedResponses()

describe('a message', () => {
  it.each([
    ['no JSON', 'hello', 'event'],
    ['a list', '[]', 'event'],
    ['another event', '{"type":"session.update"}', 'type'],
    ['no event', '{"model":"a"}', 'type'],
    ['a lane that is no text', '{"type":"response.create","stream_id":5}', 'stream_id'],
    ['a key twice', '{"type":"response.create","type":"response.create"}', 'event'],
  ])('that is %s is refused, and the connection stays open', async (_what, text, param) => {
    const edge = await startEdge()
    const client = await open(edge)
    client.websocket.send(text)
    expect(await client.message('error')).toMatchObject({ status: 400, error: { code: 'invalid_request', param } })
    client.send(create)
    expect(await client.message('response.completed')).toBeDefined()
    expect(received()).toHaveLength(1)
  })

  it('that is binary is refused', async () => {
    const edge = await startEdge()
    const client = await open(edge)
    client.websocket.send(Buffer.from(JSON.stringify(create)))
    expect((await client.message('error')).status).toBe(400)
  })

  it('that steers a response gets its input back', async () => {
    const edge = await startEdge()
    const client = await open(edge)
    client.send({ type: 'response.steer', previous_response_id: 'resp_1', input: 'stop' })
    expect(await client.message('response.steer.failed')).toMatchObject({
      error: { code: 'steering_not_supported' },
      steer: { previous_response_id: 'resp_1', input: 'stop' },
    })
  })

  it('that steers with much gets its error only', async () => {
    const edge = await startEdge()
    const client = await open(edge)
    client.send({ type: 'response.steer', previous_response_id: 'r'.repeat(100_000), input: 's'.repeat(100_000) })
    const { error, steer } = await client.message('response.steer.failed')
    expect(error).toMatchObject({ code: 'steering_not_supported' })
    expect(steer).toEqual({ previous_response_id: '', input: null })
  })

  it('that is larger than a body may be closes the connection', async () => {
    const edge = await startEdge()
    const client = await open(edge)
    client.websocket.send('x'.repeat(10_500_000))
    expect(await client.closed).toBe(1009)
    expect(received()).toHaveLength(0)
  })
})

describe('opening', () => {
  const refusal = (edge: TestEdge, headers: Record<string, string>, path?: string) =>
    open(edge, headers, path === undefined ? {} : { path }).then(
      () => 'open',
      ({ message }) => message,
    )

  it('needs a key, in any header that takes one', async () => {
    const edge = await startEdge()
    expect(await refusal(edge, { authorization: 'Bearer nothing' })).toBe('refused with 401')
    expect(await refusal(edge, { authorization: `Bearer ${unknownKey()}` })).toBe('refused with 401')
    const client = await openSocket(`ws://127.0.0.1:${edge.port}/v1/responses`, { headers: { 'api-key': edge.mint() } })
    client.send(create)
    expect(await client.message('response.completed')).toBeDefined()
    client.websocket.terminate()
  })

  it('works at the addresses of Azure, whose deployment is the model', async () => {
    const edge = await startEdge()
    const path = '/openai/deployments/sim%2Fsmall/responses?api-version=preview'
    const client = await open(edge, {}, { path })
    client.send(create)
    await client.message('response.completed')
    expect((received()[0] as Received).request.url).toBe('/v1/responses')
  })

  it('is refused to pages of other origins, as browsers apply no CORS here', async () => {
    const edge = await startEdge({ cors: createCors(['https://app.example.com'], (await startEdge()).deps.brand) })
    expect(await refusal(edge, { origin: 'https://evil.example.com' })).toBe('refused with 403')
    expect(await refusal(edge, { origin: 'null' })).toBe('refused with 403')
    expect(await refusal(edge, { origin: 'https://app.example.com' })).toBe('open')
    expect(await refusal(edge, { origin: `http://127.0.0.1:${edge.port}` })).toBe('open')
  })

  it('has a bound for each workspace', async () => {
    const edge = await startEdge({ sockets: { ...defaultSocketLimits, perWorkspace: 1 } })
    const first = await open(edge)
    expect(await refusal(edge, {})).toBe('refused with 429')
    first.websocket.close()
    await eventually(async () => ((await refusal(edge, {})) === 'open' ? true : null))
  })

  it('never repeats a key that a browser put into the name of a protocol', async () => {
    const edge = await startEdge()
    const protocols = [`openai-insecure-api-key.${edge.mint()}`, 'realtime']
    expect((await open(edge, {}, { protocols })).websocket.protocol).toBe('realtime')
  })

  it('of another path or protocol is an ordinary request', async () => {
    const edge = await startEdge()
    expect(await refusal(edge, {}, '/v1/chat/completions')).toBe('refused with 405')
  })
})

describe('an opening that fails', () => {
  const head = ['GET /v1/responses HTTP/1.1', 'host: x', 'connection: upgrade', 'upgrade: websocket', '', '']
  /** Never ends its side. */
  const ask = (edge: TestEdge) => {
    const socket = connect({ port: edge.port, host: '127.0.0.1', allowHalfOpen: true })
    socket.write(head.join('\r\n'))
    return socket.on('error', () => undefined).resume()
  }

  it('ends the connection of a client that does not end it', async () => {
    const edge = await startEdge()
    const socket = ask(edge)
    await once(socket, 'end')
    // Nobody takes what is written to a connection that is closed.
    await eventually(() => {
      if (!socket.destroyed) socket.write('x')
      return socket.destroyed || null
    })
  })

  it('ends with the drain while nobody knows whose key it is', async () => {
    const drain = createDrain()
    let asked = 0
    const verify = () => {
      asked += 1
      return new Promise<never>(() => undefined)
    }
    const health = { drain, checks: {}, now: () => new Date() }
    const edge = await startEdge({ health, keys: { verify } })
    const socket = ask(edge)
    await eventually(() => asked === 1 || null)
    drain.begin()
    drain.expire()
    await once(socket, 'end')
  })
})

describe('the end of a connection', () => {
  it('comes with the turn after its key was revoked', async () => {
    const edge = await startEdge()
    const client = await open(edge)
    client.send(create)
    await client.message('response.completed')
    edge.store.identities.clear()
    client.send(create)
    expect(await client.message('error')).toMatchObject({ status: 401, error: { code: 'invalid_api_key' } })
    expect(await client.closed).toBe(1008)
    expect(received()).toHaveLength(1)
  })

  it('comes after an hour, when running turns have ended', async () => {
    const held: Received[] = []
    answerWith((one) => held.push(one))
    const edge = await startEdge({ sockets: { ...defaultSocketLimits, maxAgeMs: 2_000 } })
    const client = await open(edge)
    client.send(create)
    await eventually(() => held.length === 1 || null)
    const { status, error } = await client.message('error')
    expect([status, error]).toEqual([400, expect.objectContaining({ code: 'websocket_connection_limit_reached' })])
    finish(held[0] as Received, 1)
    expect(await client.message('response.completed')).toBeDefined()
    expect(await client.closed).toBe(1000)
  })

  it('comes when the edge stops: idle ones at once, others after their turn, and all at its deadline', async () => {
    answerWith((one, count) => begin(one, count))
    const drain = createDrain()
    const edge = await startEdge({ health: { drain, checks: {}, now: () => new Date() } })
    const [idle, busy] = [await open(edge), await open(edge)]
    busy.send(create)
    await busy.message('response.created')
    drain.begin()
    expect(await idle.closed).toBe(1001)
    busy.send(create)
    expect(await busy.message('error')).toMatchObject({ error: { code: 'websocket_connection_limit_reached' } })
    drain.expire()
    expect(await busy.closed).toBe(1006)
    expect(received()).toHaveLength(1)
  })

  it('comes when a message arrives too slowly, but not while there is none', async () => {
    const edge = await startEdge({ sockets: { ...defaultSocketLimits, pingMs: 1_500 } })
    const [slow, idle] = [await open(edge), await open(edge)]
    // As many bytes as an unfinished message that is looked at.
    for (let each = 0; each < 600; each += 1) {
      idle.websocket.ping(Buffer.alloc(120))
      await once(idle.websocket, 'pong')
    }
    slow.websocket.send('x'.repeat(100_000), { fin: false })
    expect(await slow.closed).toBe(1006)
    idle.send(create)
    expect(await idle.message('response.completed')).toBeDefined()
  })

  it('comes when the client answers no ping', async () => {
    const edge = await startEdge({ sockets: { ...defaultSocketLimits, pingMs: 100 } })
    const client = await openSocket(`ws://127.0.0.1:${edge.port}/v1/responses`, {
      headers: { authorization: `Bearer ${edge.mint()}` },
      autoPong: false,
    })
    expect(await client.closed).toBe(1006)
  })
})
