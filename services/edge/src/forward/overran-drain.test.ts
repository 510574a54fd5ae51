import { connect } from 'node:net'
import { startService, startTestEdge, type TestEdge } from '../edge.fixture.ts'
import { startFramedEdge } from './frames/framed-service.fixture.ts'

/** Sends a call of a model that is never answered, and resolves with what the service learns when the edge ends it. */
type Ending = (how: (edge: TestEdge, client: ReturnType<typeof connect>) => unknown) => Promise<unknown>

const send = (edge: TestEdge) => {
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${edge.mint()}`
  const client = connect(edge.port, '127.0.0.1').on('error', () => undefined)
  client.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`)
  return client
}

const inFrames: Ending = async (how) => {
  const began = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<boolean>()
  const { edge, ...framed } = await startFramedEdge((_request, response) => {
    response.once('close', () => ended.resolve(response.isPeerLost))
    began.resolve()
  })
  const client = send(edge)
  await began.promise
  await how(edge, client)
  const learned = await ended.promise
  await framed.stop()
  return learned
}

const overHttp: Ending = async (how) => {
  const began = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<boolean>()
  let isReset = false
  const service = await startService((request, response) => {
    request.socket.once('error', (error: NodeJS.ErrnoException) => {
      isReset = error.code === 'ECONNRESET'
    })
    response.once('close', () => setImmediate(() => ended.resolve(isReset)))
    began.resolve()
  })
  const edge = await startTestEdge({ origin: service.origin })
  const client = send(edge)
  await began.promise
  await how(edge, client)
  const learned = await ended.promise
  await edge.stop()
  await service.stop()
  return learned
}

describe.each([
  ['in frames', inFrames],
  ['over HTTP', overHttp],
])('a call %s', (_transport, ending) => {
  it('that is still running at the end of a drain looks like the loss of the edge', async () => {
    expect(await ending((edge) => edge.stop())).toBe(true)
  }, 60_000)

  it('whose client left does not', async () => {
    expect(await ending((_edge, client) => client.destroy())).toBe(false)
  })
})
