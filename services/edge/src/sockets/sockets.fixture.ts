import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { eventually } from '@ratchet/testing/eventually'
import { type ClientOptions, WebSocket } from 'ws'
import {
  type ScriptedService,
  startService,
  startTestEdge,
  type TestEdge,
  type TestEdgeOptions,
} from '../edge.fixture.ts'

/* Clients of the WebSockets of a test edge. */

export interface SocketClient {
  readonly websocket: WebSocket
  /** Every message so far, oldest first. */
  readonly messages: readonly Message[]
  send(event: object): void
  /** Resolves with the first message from `from` on that has this type. */
  message(type: string, from?: number): Promise<Message>
  /** Resolves with the code with which the connection was closed. */
  readonly closed: Promise<number>
}

export interface Message {
  readonly type: string
  readonly [member: string]: unknown
}

/** Opens a WebSocket; rejects with the status when it is refused. */
export async function openSocket(url: string, options: ClientOptions, protocols: string[] = []): Promise<SocketClient> {
  const websocket = new WebSocket(url, protocols, options)
  const messages: Message[] = []
  const closed = new Promise<number>((resolve) => websocket.once('close', resolve))
  websocket.on('message', (data) => messages.push(JSON.parse(String(data))))
  const refused = new Promise<never>((_resolve, reject) => {
    websocket.once('unexpected-response', (_request, response) => {
      reject(new Error(`refused with ${response.statusCode}`))
      websocket.terminate()
    })
  })
  websocket.on('error', () => undefined)
  await Promise.race([once(websocket, 'open'), refused])
  return {
    websocket,
    messages,
    closed,
    send: (event) => websocket.send(JSON.stringify(event)),
    message: (type, from = 0) =>
      eventually(() => messages.slice(from).find((message) => message.type === type) ?? null, { withinMs: 45_000 }),
  }
}

/** A slow network before a port of 127.0.0.1, in both directions. */
export async function slowly(
  port: number,
  bytesPerMs: number,
): Promise<{ readonly port: number; readonly stop: () => void }> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', () => undefined).once('close', () => to.destroy())
      from.on('data', (chunk) => {
        from.pause()
        const resume = () => setTimeout(() => from.resume(), chunk.length / bytesPerMs)
        if (to.write(chunk)) resume()
        else to.once('drain', resume)
      })
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const stop = () => {
    server.close()
    for (const each of sockets) each.destroy()
  }
  return { port: (server.address() as AddressInfo).port, stop }
}

export interface Received {
  readonly request: IncomingMessage
  readonly body: string
  readonly response: ServerResponse
}

/** @param count from 1, of all requests since the last test began */
export type Answer = (received: Received, count: number) => void

/** An event as a service writes it. */
export const frame = (type: string, members: object) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, ...members })}\n\n`

const responseOf = (count: number, store: boolean) => ({
  id: `resp_${count}`,
  object: 'response',
  store,
  previous_response_id: null,
})

/** Begins an answer. */
export function begin({ response, body }: Received, count: number): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-svc-served-model': 'sim/small' })
  const { store = true } = JSON.parse(body)
  response.write(frame('response.created', { response: { ...responseOf(count, store), output: [] } }))
}

/** Answers with one message that says which answer it is. */
export function finish(one: Received, count: number): void {
  begin(one, count)
  const { store = true } = JSON.parse(one.body)
  const output = [{ type: 'message', id: `msg_${count}`, role: 'assistant', content: `answer ${count}` }]
  one.response.end(
    frame('response.output_text.delta', { delta: `answer ${count}` }) +
      frame('response.completed', { response: { ...responseOf(count, store), output } }) +
      'data: [DONE]\n\n',
  )
}

/** A request for a response. */
export const create = { type: 'response.create', model: 'sim/small', input: [{ role: 'user', content: 'hi' }] }

/** A service that answers responses, and edges in front of it. Call it once in a test file. */
export function scriptedResponses() {
  let service: ScriptedService
  let received: Received[] = []
  let answer: Answer = finish
  const stops: (() => Promise<void>)[] = []
  beforeAll(async () => {
    service = await startService((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        const one = { request, body: Buffer.concat(chunks).toString(), response }
        received.push(one)
        answer(one, received.length)
      })
    })
  })
  beforeEach(() => {
    received = []
    answer = finish
  })
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  })
  afterAll(() => service?.stop())
  return {
    /** All requests of this test so far. */
    received: () => received,
    answerWith(next: Answer) {
      answer = next
    },
    async startEdge(options: TestEdgeOptions = {}): Promise<TestEdge> {
      const edge = await startTestEdge({ origin: service.origin, ...options })
      stops.push(edge.stop)
      return edge
    },
    async open(
      edge: TestEdge,
      headers: Record<string, string> = {},
      { path = '/v1/responses', protocols = [] as string[] } = {},
    ): Promise<SocketClient> {
      const all = { authorization: `Bearer ${edge.mint()}`, ...headers }
      const client = await openSocket(`ws://127.0.0.1:${edge.port}${path}`, { headers: all }, protocols)
      stops.push(async () => client.websocket.terminate())
      return client
    },
  }
}
