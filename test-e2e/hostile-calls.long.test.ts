import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { eventually } from '@ratchet/testing/eventually'
import { connectWebCaller, type WebCaller } from '@ratchet/testing/web-caller'
import pg from 'pg'
import { adminAudit, cleanAudit } from './admin-audit.ts'
import { type ScriptedUpstream, startScriptedUpstream } from './faults/scripted-upstream.ts'
import { mountedCatalog } from './mounted-catalog.ts'
import { startVoiceFleet, type VoiceFleet, type VoiceTenant } from './voice/voice-fleet.ts'

/** Of the worker. */
const places = 8
/** Longer than a busy machine keeps a worker from answering. */
const longMs = 1_500

const stops: (() => Promise<unknown>)[] = []
let provider: ScriptedUpstream
let voice: VoiceFleet
beforeAll(async () => {
  provider = await startScriptedUpstream((stop) => stops.push(stop))
  const catalog = await mountedCatalog({
    providers: [{ id: 'hostile', base_url: provider.baseUrl }],
    models: [{ id: 'hostile/model', capabilities: ['chat', 'streaming', 'tools'] }],
  })
  stops.push(catalog.remove)
  voice = await startVoiceFleet({
    env: { VOICE_CALLS: String(places), CATALOG_DIR: catalog.folder, WEBHOOK_LOOPBACK_HTTP: 'on' },
  })
}, 300_000)
afterAll(async () => {
  await voice?.stop()
  for (const stop of stops) await stop()
})

async function join(tenant: VoiceTenant, call: object): Promise<{ readonly id: string; readonly caller: WebCaller }> {
  const { status, body } = await tenant.ask('POST', '/calls/create', { type: 'web', ...call })
  if (status !== 201) throw new Error(`no call: ${JSON.stringify(body)}`)
  const caller = connectWebCaller(body.join_url, body.client_token)
  await eventually(() => caller.resumeToken, { withinMs: 20_000 })
  return { id: body.id, caller }
}

/** The longest time in which the worker did not answer while something was done, milliseconds. */
async function silenceDuring(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  const over = new AbortController()
  const probe = async () => {
    const fromMs = performance.now()
    await fetch(`${voice.worker.url}/readyz`, { signal: AbortSignal.timeout(30_000) }).catch(() => undefined)
    longest = Math.max(longest, performance.now() - fromMs)
    return over.signal.aborted
  }
  const watched = eventually(probe, { withinMs: 110_000, everyMs: 20 })
  await work()
  over.abort()
  await watched
  return longest
}

it('keeps places for others when one workspace opens calls that cost nothing', async () => {
  const attacker = await voice.addTenant('test')
  const agent = await attacker.newAgent()
  const callers: WebCaller[] = []
  for (let i = 0; i < places; i++) {
    const { status, body } = await attacker.ask('POST', '/calls/create', { type: 'web', agent_id: agent })
    if (status === 503) continue
    const caller = connectWebCaller(body.join_url, body.client_token)
    callers.push(caller)
    await eventually(() => caller.resumeToken, { withinMs: 20_000 })
  }
  expect(callers.length).toBe((places * 3) / 4)
  const { caller } = await join(voice, { agent_id: await voice.newAgent() })
  for (const each of [...callers, caller]) each.hangUp()
  await Promise.all([...callers, caller].map(({ closed }) => closed))
}, 120_000)

it('answers others while a small request makes a text of very many characters', async () => {
  const attacker = await voice.addTenant()
  const many = { first_message: '{{a}}'.repeat(400), variables: [{ name: 'a' }] }
  const agents = [many, { ...many, system_prompt: '{{a}}'.repeat(6_400), first_message: 'Hello.' }]
  const longest = await silenceDuring(async () => {
    for (const settings of agents) {
      const order = { type: 'web', agent_id: await attacker.newAgent(settings), variables: { a: ']('.repeat(1_000) } }
      const { status, body } = await attacker.ask('POST', '/calls/create', order)
      if (status === 201) connectWebCaller(body.join_url, body.client_token)
      expect({ status, message: body.error?.message }).toMatchObject({
        status: 400,
        message: expect.stringContaining('With its variables'),
      })
    }
  })
  expect(longest).toBeLessThan(longMs)
}, 120_000)

it('answers others while secret values are found in what stands in place of others', async () => {
  const attacker = await voice.addTenant()
  const variables = Array.from({ length: 50 }, (_, i) => ({ name: `v${i}`, default: 'secrt'[i % 5], secret: true }))
  const { id, caller } = await join(attacker, { agent_id: await attacker.newAgent({ variables }) })
  const longest = await silenceDuring(async () => {
    caller.send({ type: 'text', text: 'secret '.repeat(200) })
    await eventually(() => caller.messages.some((each) => each.type === 'transcript'), { withinMs: 30_000 })
    caller.hangUp()
    await caller.closed
  })
  expect(longest).toBeLessThan(longMs)
  const { body } = await attacker.ask('GET', `/calls/${id}`)
  expect(JSON.stringify(body).length).toBeLessThan(100_000)
}, 120_000)

it('charges what was spoken, also by a call of seconds whose lines interrupt each other', async () => {
  const attacker = await voice.addTenant()
  const { id, caller } = await join(attacker, { agent_id: await attacker.newAgent() })
  const text = 'This is a long line without any mark in it '.repeat(45)
  const spoken = async () => Number((await rowOf(id)).spoken_characters)
  // What a slice of a minute holds at most.
  await eventually(
    async () => {
      await attacker.ask('POST', `/calls/${id}/say`, { text, interrupt: true })
      return (await spoken()) > 2_400
    },
    { withinMs: 60_000, everyMs: 300 },
  )
  caller.hangUp()
  await caller.closed
  const cost = await eventually(
    async () => {
      const { body } = await attacker.ask('GET', `/calls/${id}`)
      return body.cost?.settled === true ? body.cost : null
    },
    { withinMs: 30_000, everyMs: 200 },
  )
  expect(cost.tts_usd).toBeCloseTo((await spoken()) * 15e-6, 8)
}, 120_000)

it('closes a caller who writes without end, and answers others meanwhile', async () => {
  const attacker = await voice.addTenant()
  const agent = await attacker.newAgent({
    interruption_sensitivity: 0,
    first_message: 'These are long words. '.repeat(90),
    turn_taking: { detector: 'vad', first_message_interruptible: false },
  })
  const { caller } = await join(attacker, { agent_id: agent })
  const text = 'words and words '.repeat(125)
  let code: number | null = null
  void caller.closed.then((closed) => {
    code = closed.code
  })
  const write = () => {
    caller.send({ type: 'text', text })
    return code
  }
  const longest = await silenceDuring(() => eventually(write, { withinMs: 15_000, everyMs: 18 }).catch(() => null))
  expect(code).toBe(1_008)
  expect(longest).toBeLessThan(longMs)
}, 120_000)

const event = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`

it.each([
  ['text without an end', [event({ content: 'a'.repeat(900_000) }), event({}, 'stop')]],
  ['very many short sentences', [event({ content: 'a. '.repeat(300_000) }), event({}, 'stop')]],
  [
    'very many calls of a tool',
    [
      ...Array.from({ length: 20_000 }, (_, index) =>
        event({
          tool_calls: [
            { index, id: `c${index}`, type: 'function', function: { name: 'look', arguments: `{"a":${index}}` } },
          ],
        }),
      ),
      event({}, 'tool_calls'),
    ],
  ],
])(
  'answers others while a model writes %s',
  async (_name, events) => {
    const attacker = await voice.addTenant()
    let called = 0
    const server = createServer((_request, response) => {
      called++
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const tool = await attacker.ask('POST', '/tools', {
      name: 'look',
      description: 'Looks.',
      parameters: { type: 'object' },
      http: { url: `http://127.0.0.1:${port}/` },
    })
    expect(tool.status).toBe(201)
    const agent = await attacker.newAgent({
      model: 'hostile/model',
      max_response_tokens: 1_000,
      first_message_mode: 'caller_speaks',
      tool_ids: [tool.body.id],
    })
    provider.answer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const each of events) response.write(each)
      response.end('data: [DONE]\n\n')
    })
    const { id, caller } = await join(attacker, { agent_id: agent })
    const longest = await silenceDuring(async () => {
      caller.send({ type: 'text', text: 'Hello?' })
      await eventually(() => caller.messages.some((each) => each.type === 'end' || each.type === 'audio'), {
        withinMs: 60_000,
      })
    })
    expect(longest).toBeLessThan(longMs)
    expect(called).toBeLessThanOrEqual(16)
    await attacker.ask('POST', `/calls/${id}/stop`, {})
    server.closeAllConnections()
    server.close()
  },
  120_000,
)

it('holds a bounded part of bodies that never end', async () => {
  const attacker = await voice.addTenant()
  const beforeBytes = memoryOf(voice.edge.pid)
  const sockets: Socket[] = []
  const head = [
    'POST /v1/agents HTTP/1.1',
    'host: voice',
    `x-api-key: ${attacker.key}`,
    'content-type: application/json',
    `content-length: ${mebibyte}`,
  ]
  let answered = 0
  for (let i = 0; i < 400; i++) {
    const socket = connect(Number(new URL(voice.origin).port), '127.0.0.1')
    socket.on('error', () => undefined).once('data', () => answered++)
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    socket.write(Buffer.alloc(mebibyte - 1, ' '))
    sockets.push(socket)
  }
  await eventually(() => answered >= 390, { withinMs: 60_000 })
  expect(memoryOf(voice.edge.pid) - beforeBytes).toBeLessThan(150 * mebibyte)
  expect((await voice.ask('GET', '/agents')).status).toBe(200)
  for (const socket of sockets) socket.destroy()
}, 120_000)

it('answers others while one workspace reads its largest pages at the same time', async () => {
  const attacker = await voice.addTenant()
  await attacker.newAgent({ system_prompt: '語'.repeat(32_000), metadata: { a: 'x'.repeat(16_000) } })
  await query(`INSERT INTO agent (id, workspace_id, owner_user_id, version, published_version, created_at, updated_at)
    SELECT gen_random_uuid(), workspace_id, owner_user_id, 1, 1, now(), now() FROM agent, generate_series(1, 199)
    WHERE workspace_id = '${attacker.workspace.workspaceId}'`)
  await query(`INSERT INTO agent_version SELECT gen_random_uuid(), a.id, a.workspace_id, 1, v.spec, v.sha256, v.created_by, now()
    FROM agent a, (SELECT * FROM agent_version WHERE workspace_id = '${attacker.workspace.workspaceId}') v
    WHERE a.workspace_id = v.workspace_id AND a.id <> v.agent_id`)
  const beforeBytes = memoryOf(voice.voice.pid)
  const over = new AbortController()
  const reading = Array.from({ length: 40 }, () =>
    fetch(`${voice.origin}/v1/agents?limit=200`, {
      headers: { 'x-api-key': attacker.key },
      signal: AbortSignal.any([over.signal, AbortSignal.timeout(60_000)]),
    })
      .then((response) => response.arrayBuffer())
      .catch(() => undefined),
  )
  for (let i = 0; i < 5; i++) expect((await voice.ask('GET', '/agents?limit=1')).status).toBe(200)
  over.abort()
  await Promise.all(reading)
  expect(memoryOf(voice.voice.pid) - beforeBytes).toBeLessThan(400 * mebibyte)
}, 120_000)

it('takes callers while hundreds of connections say nothing', async () => {
  const { port } = new URL(voice.worker.url)
  const path = `/media/call_${'0'.repeat(32)}`
  const head = `GET ${path} HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
  const silent = Array.from({ length: 250 }, () => {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined)
    socket.write(head)
    return socket
  })
  const { caller } = await join(voice, { agent_id: await voice.newAgent() })
  caller.hangUp()
  await caller.closed
  for (const socket of silent) socket.destroy()
}, 60_000)

it('has correct books after all', async () => {
  expect(await adminAudit(voice.fleet, [voice.workspace])).toEqual(cleanAudit)
}, 90_000)

/** The most that was resident, bytes. */
function memoryOf(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024
}

async function rowOf(publicCallId: string): Promise<Record<string, unknown>> {
  return (await query('SELECT * FROM call WHERE id = $1::uuid', [publicCallId.replace('call_', '')]))[0] ?? {}
}

async function query(text: string, values: unknown[] = []): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: voice.fleet.databaseUrl })
  await client.connect()
  try {
    return (await client.query(text, values)).rows
  } finally {
    await client.end()
  }
}
