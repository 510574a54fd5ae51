import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brandOf } from '@ratchet/contracts/brand'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { createUpstream } from '@ratchet/http/create-upstream'
import { verifyIdentity } from '@ratchet/service-kit/identity/identity'
import { eventually } from '@ratchet/testing/eventually'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import type { Turn } from '../engine/call-events.ts'
import { createHttpWriters } from './http-writers.ts'

const key = { id: 'k1', secret: randomBytes(32) }
const now = () => new Date('2026-12-01T10:00:00Z')
const brand = brandOf()
const callId = '018f3c5e-7c00-7000-8000-000000000001'
const agentId = '018f3c5e-7c00-7000-8000-000000000002'
const workspaceId = '018f3c5e-7c00-7000-8000-000000000003'

type Answer = (request: IncomingMessage, response: ServerResponse) => void
let stop: () => Promise<void> = async () => undefined
afterEach(() => stop())

/** A call whose model is this server. */
async function asked(answer: Answer) {
  const seen: { headers: IncomingMessage['headers']; body: Record<string, unknown> }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    seen.push({ headers: request.headers, body: JSON.parse(Buffer.concat(chunks).toString()) })
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const upstream = createUpstream({ origin, connections: 2, connectTimeoutMs: 1_000 })
  stop = async () => {
    await upstream.destroy()
    server.closeAllConnections()
    server.close()
  }
  const noted: string[] = []
  const priced: (readonly [string, bigint])[] = []
  const writers = createHttpWriters({
    upstream,
    key: keyOfCaller(key, 'voice'),
    brand,
    requests: {
      add: async (_call, id) => void noted.push(id),
      price: async (_call, costs) => void priced.push(...costs),
    },
    now,
    newId: randomUUID,
    onError: () => undefined,
  })
  const tools = [{ name: 'find_order', description: 'Finds an order.', parameters: { type: 'object' } }]
  const settings = { model: 'sim/assistant', systemPrompt: 'Be brief.', temperature: 0.2, maxTokens: 300, tools }
  const order = { workspaceId, userId: workspaceId, callId, agentId, env: 'live' as const, settings }
  return { seen, noted, priced, writer: writers.open(order) }
}

type Writer = Awaited<ReturnType<typeof asked>>['writer']

function heard(writer: Writer, turns: readonly Turn[], mayCallTools = true) {
  const events: unknown[] = []
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const end = (kind: string) => () => {
    events.push(kind)
    resolve()
  }
  const drain = writer.answer(
    { turns, isRetry: false, mayCallTools },
    {
      onText: (text) => events.push(text),
      onTools: (calls) => events.push(calls),
      onEnd: end('end'),
      onFailed: end('failed'),
    },
  )
  return { events, over, drain }
}

const turn = (role: Turn['role'], text: string, changes: Partial<Turn> = {}): Turn => {
  return { role, text, startMs: 0, endMs: 0, isInterrupted: false, playedMs: null, ...changes }
}

function stream(...chunks: readonly object[]): Answer {
  return (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
    response.end('data: [DONE]\n\n')
  }
}

const said = (content: string) => ({ choices: [{ delta: { content } }] })
const finished = { choices: [{ delta: {}, finish_reason: 'stop' }] }

it('asks as a client of the workspace, in the trace of the call, and reports text as it comes', async () => {
  const { writer, seen, noted } = await asked(stream(said('Good '), said('day.'), finished))
  const { events, over } = heard(writer, [turn('agent', 'Hello.'), turn('caller', 'Hi.')])
  await over
  expect(events).toEqual(['Good ', 'day.', 'end'])
  const [{ headers, body } = { headers: {}, body: {} }] = seen
  const requestId = String(headers[requestIdHeader])
  expect(noted).toEqual([requestId])
  expect(headers[brand.headers.traceId.toLowerCase()]).toBe('call_018f3c5e7c0070008000000000000001')
  expect(headers[brand.headers.tag.toLowerCase()]).toBe('agent_018f3c5e7c0070008000000000000002')
  const bound = { audience: 'inference', requestId, method: 'POST', path: '/v1/chat/completions' }
  expect(verifyIdentity([key], bound, String(headers[identityHeader]), now().getTime())).toMatchObject({
    caller: 'voice',
    identity: { workspaceId, keyId: null, channel: 'voice' },
  })
  expect(body).toMatchObject({ model: 'sim/assistant', stream: true, max_tokens: 300, temperature: 0.2 })
  expect(body.messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'assistant', content: 'Hello.' },
    { role: 'user', content: 'Hi.' },
  ])
})

it('reports calls of tools at the end, and writes their results into the messages', async () => {
  const call = (part: object) => ({ choices: [{ delta: { tool_calls: [part] } }] })
  const { writer, seen } = await asked(
    stream(
      call({ index: 0, id: 'c1', function: { name: 'find_order', arguments: '{"n":' } }),
      call({ index: 0, function: { arguments: '"7"}' } }),
      { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
    ),
  )
  const made = { id: 'c0', name: 'find_order', arguments: '{}' }
  const turns = [turn('caller', 'Hi.'), turn('agent', 'One moment.'), turn('tool', 'nothing', { call: made })]
  const { events, over } = heard(writer, turns, false)
  await over
  expect(events).toEqual([[{ id: 'c1', name: 'find_order', arguments: '{"n":"7"}' }], 'end'])
  const { messages, tool_choice } = (seen[0]?.body ?? {}) as Record<string, unknown>
  expect(tool_choice).toBe('none')
  expect(messages).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi.' },
    {
      role: 'assistant',
      content: 'One moment.',
      tool_calls: [{ id: 'c0', type: 'function', function: { name: 'find_order', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c0', content: 'nothing' },
  ])
})

it('reads an answer to its end that nobody waits for, and reports nothing of it', async () => {
  const { promise: isRead, resolve: read } = Promise.withResolvers<boolean>()
  const { writer } = await asked((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${JSON.stringify(said('One'))}\n\n`)
    response.on('close', () => read(response.writableFinished))
    setTimeout(() => response.end(`data: ${JSON.stringify(finished)}\n\n`), 100)
  })
  const { events, drain } = heard(writer, [turn('caller', 'Hi.')])
  drain()
  expect(await isRead).toBe(true)
  expect(events).toEqual([])
})

it.each<[string, Answer]>([
  ['a refusal', (_request, response) => response.writeHead(402).end('{"error":{}}')],
  ['an error inside the stream', stream(said('One'), { error: { message: 'overloaded' } })],
  ['a stream that breaks off', stream(said('One'))],
  ['a connection that breaks', (request) => request.socket.destroy()],
  ['no event stream', (_request, response) => response.writeHead(200).end('data: nonsense\n\n')],
])('says that it failed after %s', async (_name, answer) => {
  const { writer } = await asked(answer)
  const { events, over } = heard(writer, [turn('caller', 'Hi.')])
  await over
  expect(events.at(-1)).toBe('failed')
})

it('knows that a request costs nothing which reached nobody, and of no other', async () => {
  const cut: Answer = (_request, response) => response.destroy()
  const { writer, noted, priced } = await asked(cut)
  const first = heard(writer, [turn('caller', 'Hi.')])
  await first.over
  await stop()
  const second = heard(writer, [turn('caller', 'Hi.')])
  await second.over
  await eventually(() => priced.length > 0)
  expect(first.events).toEqual(['failed'])
  expect(second.events).toEqual(['failed'])
  expect(priced).toEqual([[noted[1], 0n]])
})
