import { connectPrisma } from '@ratchet/db/connect'
import { revokeApiKey } from '@ratchet/db/operator'
import { eventually } from '@ratchet/testing/eventually'
import type { OpenAI } from 'openai'
import type { ResponsesClientEvent, ResponsesServerEvent } from 'openai/resources/responses/responses'
import { ResponsesWS } from 'openai/resources/responses/ws'
import { type Account, ledgerOf, payFor, priceUsd } from './charge.ts'
import { openaiFor } from './clients.ts'
import { type SharedFleet, shareFleet } from './shared-fleet/shared-fleet.ts'
import { wires } from './wires.ts'
import { workspaceWith } from './workspace-with.ts'

let fleet: SharedFleet
let account: Account
let openai: OpenAI
const sockets: ResponsesWS[] = []

beforeAll(async () => {
  fleet = await shareFleet()
  account = { databaseUrl: fleet.databaseUrl, workspace: await workspaceWith(fleet, { loggingEnabled: true }) }
  openai = openaiFor(fleet, { apiKey: account.workspace.apiKey })
}, 300_000)
afterEach(() => {
  for (const each of sockets.splice(0)) each.close()
})

type Create = Omit<ResponsesClientEvent.ResponseCreate, 'type'>
type Ended = Extract<ResponsesServerEvent, { type: 'response.completed' }>

interface Connection {
  readonly events: readonly ResponsesServerEvent[]
  /** The first event that ends a response after the last `take`. */
  take(body: Create): Promise<ResponsesServerEvent>
  readonly socket: ResponsesWS
}

function connect(client = openai, headers: Record<string, string> = {}): Connection {
  const socket = new ResponsesWS(client, { headers })
  sockets.push(socket)
  const events: ResponsesServerEvent[] = []
  socket.on('event', (event) => events.push(event))
  socket.on('error', () => undefined)
  return {
    events,
    socket,
    take(body) {
      const from = events.length
      socket.send({ type: 'response.create', ...body })
      return eventually(
        () =>
          events
            .slice(from)
            .find(({ type }) => type === 'response.completed' || type === 'error' || type === 'response.incomplete') ??
          null,
        { withinMs: 60_000 },
      )
    },
  }
}

const responseOf = (event: ResponsesServerEvent) => (event as Ended).response
const costOf = (event: ResponsesServerEvent) =>
  (responseOf(event).usage as OpenAI.Responses.ResponseUsage & { cost_usd: number }).cost_usd
const textOf = (event: ResponsesServerEvent) =>
  responseOf(event)
    .output.flatMap((item) => (item.type === 'message' ? item.content : []))
    .map((part) => ('text' in part ? part.text : ''))
    .join('')

const input = 'How do glaciers carve valleys in Norway?'

describe.each(wires)('a response of %s on a WebSocket of the openai package', (wire) => {
  const model = `${wire}/quality-1`

  it('has the events and the price of a stream over HTTP', async () => {
    const types: string[] = []
    for await (const { type } of await openai.responses.create({ model, input, stream: true })) types.push(type)
    const connection = connect()
    const { answer, paidUsd } = await payFor(account, () => connection.take({ model, input }))
    expect(connection.events.map(({ type }) => type)).toEqual(types)
    const usage = responseOf(answer).usage
    const tokens = { prompt: usage?.input_tokens ?? 0, completion: usage?.output_tokens ?? 0 }
    expect([costOf(answer), paidUsd]).toEqual(Array(2).fill(priceUsd(model, tokens)))
  })

  it('continues one that nobody stored', async () => {
    const connection = connect()
    const first = await connection.take({ model, input, store: false })
    const alone = responseOf(first).usage?.input_tokens ?? 0
    const next = { model, input: 'And lakes?', store: false, previous_response_id: responseOf(first).id }
    const second = await connection.take(next)
    expect(responseOf(second)).toMatchObject({ status: 'completed', previous_response_id: responseOf(first).id })
    expect(responseOf(second).usage?.input_tokens).toBeGreaterThan(alone)
    const elsewhere = await connect().take(next)
    expect(elsewhere).toMatchObject({ type: 'error', status: 400, error: { code: 'previous_response_not_found' } })
  })
})

it('continues a stored response on another connection', async () => {
  const model = 'sim/quality-1'
  const first = await connect().take({ model, input })
  const second = await connect().take({ model, input: 'And lakes?', previous_response_id: responseOf(first).id })
  expect(responseOf(second).previous_response_id).toBe(responseOf(first).id)
})

it('replays what Codex sends: it prepares, calls a tool, and sends only what is new', async () => {
  const connection = connect(openai, { 'openai-beta': 'responses_websockets=2026-02-06', session_id: 'a-session' })
  const codex = {
    model: 'sim/tools',
    instructions: 'You are a coding agent.',
    tools: [
      {
        type: 'function' as const,
        name: 'shell_command',
        description: 'Runs it.',
        parameters: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
        strict: false,
      },
    ],
    tool_choice: 'auto' as const,
    parallel_tool_calls: false,
    store: false,
    include: ['reasoning.encrypted_content' as const],
    prompt_cache_key: 'a-session',
    client_metadata: {
      originator: 'codex',
      ws_request_header_traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    },
  }
  const asked = {
    type: 'message' as const,
    role: 'user' as const,
    content: [{ type: 'input_text' as const, text: 'List the files.' }],
  }
  const { answer: prepared, paidUsd } = await payFor(account, () =>
    connection.take({ ...codex, generate: false, input: [asked] }),
  )
  expect([responseOf(prepared).output, paidUsd]).toEqual([[], 0])
  const called = await connection.take({ ...codex, previous_response_id: responseOf(prepared).id, input: [] })
  const call = responseOf(called).output.find((item) => item.type === 'function_call')
  expect(call).toMatchObject({ name: 'shell_command', call_id: expect.any(String) })
  const output = { type: 'function_call_output' as const, call_id: String(call?.call_id), output: 'README.md' }
  const done = await connection.take({ ...codex, previous_response_id: responseOf(called).id, input: [output] })
  expect([responseOf(done).status, textOf(done)]).toEqual(['completed', expect.stringMatching(/./)])
})

it('runs lanes beside each other, and names them in their events', async () => {
  const connection = connect()
  for (const stream_id of ['a', 'b']) {
    connection.socket.send({ type: 'response.create', model: 'sim/small', input, stream_id })
  }
  const ended = await eventually(
    () => {
      const all = connection.events.filter(({ type }) => type === 'response.completed')
      return all.length === 2 ? all : null
    },
    { withinMs: 60_000 },
  )
  expect(ended.map((event) => ('stream_id' in event ? event.stream_id : null)).sort()).toEqual(['a', 'b'])
})

it('says in its first event which model answered, and logs as the opening request asked', async () => {
  const connection = connect(openai, { 'x-svc-log': 'off', 'x-svc-tag': 'by-socket' })
  await connection.take({ model: 'sim/small', input })
  const { headers } = connection.events[0] as unknown as { readonly headers: Record<string, string> }
  expect(headers).toMatchObject({
    'x-svc-served-model': 'sim/small',
    'x-svc-logged': expect.stringMatching(/^off; /),
    'x-request-id': expect.stringMatching(/^[\da-f-]{36}$/),
  })
})

it('charges a client that disconnects in the middle as one that leaves a stream over HTTP', async () => {
  const model = 'sim/pace-50'
  const connection = connect()
  const before = await ledgerOf(account)
  connection.socket.send({ type: 'response.create', model, input })
  await eventually(() => connection.events.some(({ type }) => type === 'response.output_text.delta'), {
    withinMs: 60_000,
  })
  connection.socket.close()
  const after = await eventually(
    async () => {
      const now = await ledgerOf(account)
      return now.open === 0 && now.held === 0n && now.balance < before.balance ? now : null
    },
    { withinMs: 60_000 },
  )
  expect(after.violations).toEqual([])
})

it('gets no further response when its key was revoked while it was open', async () => {
  const { apiKey, keyId } = await fleet.workspace.addMember('owner')
  const connection = connect(openaiFor(fleet, { apiKey }))
  expect((await connection.take({ model: 'sim/small', input })).type).toBe('response.completed')
  const db = connectPrisma({ databaseUrl: fleet.databaseUrl, max: 1 })
  await revokeApiKey(db, { id: keyId, at: new Date() })
  await db.$disconnect()
  const refused = await connection.take({ model: 'sim/small', input })
  expect(refused).toMatchObject({ type: 'error', status: 401, error: { code: 'invalid_api_key' } })
})
