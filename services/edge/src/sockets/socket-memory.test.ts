import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { eventually } from '@ratchet/testing/eventually'
import { defaultSocketLimits } from './open-sockets.ts'
import { begin, create, finish, type Received, scriptedResponses } from './sockets.fixture.ts'

const { answerWith, startEdge, open } = scriptedResponses()

/** A quarter of them, 1 MiB, is for one workspace. */
const sockets = { ...defaultSocketLimits, messageBytes: 4 * mebibyte }
const large = 'x'.repeat(700_000)
const noMemory = { status: 503, error: { code: 'service_unavailable' } }

describe('the memory for messages', () => {
  it('is one for all connections of a workspace: unfinished ones count, and one without room is not read', async () => {
    const edge = await startEdge({ sockets })
    const [one, other] = [await open(edge), await open(edge)]
    one.websocket.send(large, { fin: false })
    // The answer to a ping shows that all before it was read.
    one.websocket.ping()
    await new Promise((resolve) => one.websocket.once('pong', resolve))
    other.websocket.send(large, { fin: false })
    expect(await other.message('error')).toMatchObject(noMemory)
    expect(await other.closed).toBe(1013)
    one.websocket.terminate()
    await eventually(async () => {
      const next = await open(edge)
      next.send({ ...create, input: large })
      const message = await Promise.race([next.message('response.completed'), next.closed])
      return typeof message === 'number' ? null : message
    })
  })

  it('is needed by what waits, too; a connection without room still answers what it took', async () => {
    const held: Received[] = []
    answerWith((one) => held.push(one))
    const edge = await startEdge({ sockets })
    const client = await open(edge)
    client.send(create)
    await eventually(() => held.length === 1 || null)
    client.send({ ...create, input: large })
    client.send({ ...create, input: large })
    expect(await client.message('error')).toMatchObject(noMemory)
    answerWith(finish)
    finish(held[0] as Received, 1)
    expect(await client.closed).toBe(1013)
    expect(client.messages.filter(({ type }) => type === 'response.completed')).toHaveLength(2)
    const next = await open(edge)
    next.send({ ...create, input: large })
    expect(await next.message('response.completed')).toBeDefined()
  })

  it('is needed by what is sent again: a turn without room is refused, and the connection goes on', async () => {
    const edge = await startEdge({ sockets })
    const client = await open(edge)
    client.send({ ...create, store: false, input: 'x'.repeat(500_000) })
    await client.message('response.completed')
    const held: Received[] = []
    answerWith((one) => held.push(one))
    const other = await open(edge)
    other.send({ ...create, store: false, input: 'x'.repeat(450_000) })
    await eventually(() => held.length === 1 || null)
    client.send({ ...create, previous_response_id: 'resp_1', input: 'x'.repeat(200_000) })
    expect(await client.message('error')).toMatchObject(noMemory)
    finish(held[0] as Received, 2)
    await other.message('response.completed')
    answerWith(finish)
    client.send(create)
    expect(await client.message('response.completed', client.messages.length)).toBeDefined()
  })

  it('is free again when a turn was sent whose response is stored', async () => {
    answerWith(begin)
    const edge = await startEdge({ sockets })
    const client = await open(edge)
    for (const stream_id of ['a', 'b', 'c']) {
      const from = client.messages.length
      client.send({ ...create, stream_id, input: large })
      expect(await client.message('response.created', from)).toMatchObject({ stream_id })
    }
    expect(client.messages.filter(({ type }) => type === 'error')).toEqual([])
  })

  it('is free again when a client disconnects in the middle of its turns', async () => {
    const held: Received[] = []
    answerWith((one) => held.push(one))
    const edge = await startEdge({ sockets })
    for (const each of [1, 2, 3]) {
      const client = await open(edge)
      client.send({ ...create, store: false, input: large })
      await eventually(() => held.length === each || null)
      client.send({ ...create, input: 'x'.repeat(200_000) })
      const gone = new Promise((resolve) => (held.at(-1) as Received).response.once('close', resolve))
      client.websocket.terminate()
      await gone
    }
  })
})
