import type { ServerResponse } from 'node:http'
import { converseFrames } from '@ratchet/simulated-provider/wire/converse/converse-stream'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { eventually } from '@ratchet/testing/eventually'
import { adminAudit, cleanAudit } from './admin-audit.ts'
import { memoryGrowthMb } from './faults/resident-memory.ts'
import { type ScriptedUpstream, startScriptedUpstream } from './faults/scripted-upstream.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { type MountedCatalog, mountedCatalog } from './mounted-catalog.ts'
import { workspaceWith } from './workspace-with.ts'

/**
 * A provider that sends far more than was requested. Each attack would send 500 MB. The probes of another workspace take at
 * most 50 ms at p99. A busy machine delays them too, so there is a control: the same requests, with answers of the requested
 * size. An attack that exceeds 50 ms may take twice the time of the control before or after it.
 */
const attackBytes = 500_000_000
const maxProbeMs = 50
const maxRatio = 2
/** How often an attack is measured again. What the machine does besides is over then; what the attack does is not. */
const attempts = 6
const maxGrowthMb = 64
/** What a request for 100 tokens may cost in bytes, and what sockets hold on the way. */
const maxReceivedBytes = 2_000_000
const maxSentBytes = 24_000_000
/** Attacks of one kind, one after the other. */
const rounds = 5
/** What the prompt of an attack costs at most, nano-dollars: 50 tokens at a dollar per million. */
const maxPromptNano = 50_000

const adapters = {
  'hostile-openai': { adapter: 'openai', path: '/v1' },
  'hostile-anthropic': { adapter: 'anthropic', path: '/v1' },
  'hostile-google': { adapter: 'google', path: '/v1beta' },
  'hostile-bedrock': { adapter: 'bedrock', path: '/bedrock' },
} as const
type Hostile = keyof typeof adapters

const stops: (() => Promise<unknown>)[] = []
let upstream: ScriptedUpstream
let catalog: MountedCatalog
let fleet: Fleet
let other: DemoWorkspace
/** Whose calls are the control. */
let usual: DemoWorkspace

beforeAll(async () => {
  upstream = await startScriptedUpstream((stop) => stops.push(stop))
  const { origin } = new URL(upstream.baseUrl)
  const ids = Object.keys(adapters) as Hostile[]
  catalog = await mountedCatalog({
    providers: ids.map((id) => ({ id, adapter: adapters[id].adapter, base_url: origin + adapters[id].path })),
    models: ids.map((id) => ({ id: `${id}/model`, max_output_tokens: 128_000 })),
  })
  fleet = await startFleet({ env: { CATALOG_DIR: catalog.folder }, workspace: { balanceUsd: '1000.00' } })
  other = await workspaceWith(fleet)
  usual = await workspaceWith(fleet)
  await loadVocabulary()
}, 300_000)

afterAll(async () => {
  await fleet?.stop()
  await catalog?.remove()
  for (const stop of stops) await stop()
}, 180_000)

/** A process loads it for the first text that it counts, as after an answer that broke, and keeps its 60 MB. */
async function loadVocabulary(): Promise<void> {
  const response = await fetch(`${fleet.url}/v1/messages/count_tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${usual.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'hostile-google/model', messages: bodies.messages.body.messages }),
  })
  expect(response.status).toBe(200)
}

const sse = (data: string) => `data: ${data}\n\n`
const chunk = (delta: object | string) =>
  sse(`{"choices":[{"index":0,"delta":${typeof delta === 'string' ? delta : JSON.stringify(delta)}}]}`)
const event = (body: object) => sse(JSON.stringify(body))
const objects = `[${Array(300_000).fill('{}').join(',')}]`
const text = 'word '.repeat(10_000)

const messageStart = event({
  type: 'message_start',
  message: { id: 'm', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 5, output_tokens: 1 } },
})
const blockStart = event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
const blockDelta = (delta: object) => event({ type: 'content_block_delta', index: 0, delta })
const textDelta = blockDelta({ type: 'text_delta', text })
const citation = blockDelta({ type: 'citations_delta', citation: { cited_text: 'x'.repeat(1_000) } })
const candidates = (parts: object[]) => event({ candidates: [{ index: 0, content: { role: 'model', parts } }] })

/** The first bytes of a stream, and those that are repeated after them. */
type Stream = readonly [first: string | Buffer, repeated: string | Buffer]

const converse = [
  ...converseFrames({
    content: [{ block: { text: 'word '.repeat(1_000) }, text: 'word '.repeat(1_000) }],
    stopReason: 'end_turn',
    metadata: {},
    isMetadataEarly: false,
  } as Parameters<typeof converseFrames>[0]),
].map(({ data }) => Buffer.from(data))
const converseStream: Stream = [converse[0] ?? Buffer.alloc(0), Buffer.concat(converse.slice(1, -3))]

const streams: readonly (readonly [name: string, hostile: Hostile, surface: Surface, stream: Stream])[] = [
  ['300 000 objects in each chunk', 'hostile-openai', 'chat', ['', chunk(`{"x":${objects}}`)]],
  ['plain text', 'hostile-openai', 'chat', ['', chunk({ content: text })]],
  ['chunks of one character', 'hostile-openai', 'chat', ['', chunk({ content: 'a' }).repeat(500)]],
  ['nesting of 200 000', 'hostile-openai', 'chat', ['', chunk(`${'{"a":'.repeat(2e5)}1${'}'.repeat(2e5)}`)]],
  ['lists that grow', 'hostile-openai', 'chat', ['', chunk({ x: Array(1_000).fill({}) })]],
  ['frames of nothing', 'hostile-openai', 'chat', ['', sse('{}').repeat(5_000)]],
  ['comments', 'hostile-openai', 'chat', ['', ': ping\n\n'.repeat(5_000)]],
  ['plain text as a message', 'hostile-openai', 'messages', ['', chunk({ content: text })]],
  ['plain text as a response', 'hostile-openai', 'responses', ['', chunk({ content: text })]],
  ['new items of a response', 'hostile-openai', 'responses', ['', chunk({ content: 'a', reasoning: 'b' }).repeat(500)]],
  ['text of a message', 'hostile-anthropic', 'messages', [messageStart + blockStart, textDelta]],
  ['citations of a message', 'hostile-anthropic', 'messages', [messageStart + blockStart, citation.repeat(50)]],
  ['pings', 'hostile-anthropic', 'messages', [messageStart, event({ type: 'ping' }).repeat(5_000)]],
  ['text of a message as chat', 'hostile-anthropic', 'chat', [messageStart + blockStart, textDelta]],
  ['text of Gemini', 'hostile-google', 'chat', ['', candidates([{ text }])]],
  ['text of Bedrock', 'hostile-bedrock', 'chat', converseStream],
]

it.each(streams)(
  'ends a stream of %s (%s, %s) without a charge',
  async (_name, hostile, surface, stream) => {
    const before = await balance()
    await expectHarmless(attackOf(hostile, surface, stream))
    expect(await balance()).toBe(before)
  },
  120_000,
)

it('charges the prompt when a chunk has more parts than are read, because its client may have asked for them', async () => {
  const before = await balance()
  await expectHarmless(attackOf('hostile-google', 'chat', ['', candidates(Array(20_000).fill({ text: 'a' }))]))
  const paidNano = Number(before - (await balance()))
  expect(paidNano).toBeGreaterThan(0)
  expect(paidNano).toBeLessThan(attempts * rounds * maxPromptNano)
}, 120_000)

it('refuses an unstreamed answer without an end, in pieces of any size, without a charge', async () => {
  for (const piece of ['x'.repeat(100_000), 'x'.repeat(10)]) {
    upstream.answer(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      await flood(response, ['{"choices":[{"message":{"content":"', piece])
    })
    const before = await balance()
    const grownMb = await memoryGrowthMb([fleet.inference], async () => {
      expect(await call('chat', { model: 'hostile-openai/model', stream: false })).toMatchObject({ status: 502 })
    })
    expect(grownMb).toBeLessThan(maxGrowthMb)
    expect(await balance()).toBe(before)
  }
}, 180_000)

it('leaves ledgers that are correct', async () => {
  expect(await adminAudit(fleet, [fleet.workspace, other, usual])).toEqual(cleanAudit)
}, 180_000)

function attackOf(hostile: Hostile, surface: Surface, stream: Stream): Attack {
  let sentBytes = 0
  upstream.answer(async (_request, response) => {
    const type = hostile === 'hostile-bedrock' ? 'application/vnd.amazon.eventstream' : 'text/event-stream'
    response.writeHead(200, { 'content-type': type })
    sentBytes = await flood(response, stream)
  })
  return async () => {
    const answer = await call(surface, { model: `${hostile}/model`, stream: true })
    expect(answer).toMatchObject({ isBroken: answer.status === 200 })
    expect(answer.status === 200 || answer.status === 502).toBe(true)
    expect(answer.body).not.toContain('[DONE]')
    expect(answer.body.length).toBeLessThan(maxReceivedBytes)
    expect(answer.body).toMatch(/upstream_error|"type":"error"|api_error/)
    await eventually(() => expect(sentBytes).toBeGreaterThan(0))
    expect(sentBytes).toBeLessThan(maxSentBytes)
  }
}

/** Repeats an attack, which must neither delay another workspace nor make inference grow. */
async function expectHarmless(attack: Attack): Promise<void> {
  let grownMb = 0
  const first = async () => {
    grownMb = await memoryGrowthMb([fleet.inference], () => repeated(attack))
  }
  await expectUndelayed([first, () => repeated(attack)])
  expect(grownMb).toBeLessThan(maxGrowthMb)
}

async function repeated(act: () => Promise<unknown>): Promise<void> {
  for (let round = 0; round < rounds; round++) await act()
}

/**
 * Measures probes of another workspace during the attack, and during calls whose answers have the requested size.
 *
 * @param attacks the first attack, and each later one
 */
async function expectUndelayed([first, later]: readonly [Attack, Attack]): Promise<void> {
  const measured: string[] = []
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const controlMs = await probedDuring(() => repeated(usualCall))
    const attackedMs = await probedDuring(attempt === 1 ? first : later)
    if (attackedMs <= maxProbeMs || attackedMs <= maxRatio * controlMs) return
    measured.push(`${Math.round(attackedMs)} ms, control ${Math.round(controlMs)} ms`)
  }
  throw new Error(`the attack delays another workspace: ${measured.join('; ')}`)
}

type Attack = () => Promise<unknown>

async function usualCall(): Promise<void> {
  expect(await call('chat', { model: 'sim/large', stream: true }, usual)).toMatchObject({
    status: 200,
    isBroken: false,
  })
}

async function probedDuring(act: () => Promise<unknown>): Promise<number> {
  const probes = startProbes()
  try {
    await act()
  } catch (error) {
    await probes.stop()
    throw error
  }
  return probes.stop()
}

/** Sends until the gateway disconnects; resolves with the number of bytes. */
async function flood(response: ServerResponse, [first, repeated]: Stream): Promise<number> {
  const closed = new Promise<void>((resolve) => response.once('close', resolve))
  const bytes = Buffer.from(repeated)
  let sent = 0
  if (first.length > 0) response.write(first)
  while (!response.destroyed && sent < attackBytes) {
    sent += bytes.length
    const isDrained = response.write(bytes)
    const next = isDrained
      ? new Promise<void>((resolve) => setImmediate(resolve))
      : new Promise<void>((resolve) => response.once('drain', resolve))
    await Promise.race([next, closed])
  }
  return sent
}

const bodies = {
  chat: { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 100 } },
  messages: { path: '/v1/messages', body: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 100 } },
  responses: { path: '/v1/responses', body: { input: 'Hi', max_output_tokens: 100 } },
} as const
type Surface = keyof typeof bodies

async function call(
  surface: Surface,
  more: { readonly model: string; readonly stream: boolean },
  { apiKey }: DemoWorkspace = fleet.workspace,
) {
  const response = await fetch(fleet.url + bodies[surface].path, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...bodies[surface].body, ...more }),
  })
  const decoder = new TextDecoder()
  let body = ''
  let isBroken = false
  try {
    for await (const part of response.body ?? []) body += decoder.decode(part, { stream: true })
  } catch {
    isBroken = true
  }
  return { status: response.status, body, isBroken }
}

async function balance(): Promise<bigint> {
  const { balance: nano } = await ledgerAtRest(fleet, fleet.workspace)
  return nano
}

/** Lists models for another workspace again and again; `stop` resolves with the p99 of the latencies in milliseconds. */
function startProbes() {
  let isOver = false
  const latencies: number[] = []
  const running = (async () => {
    while (!isOver || latencies.length < 20) {
      const startedAt = performance.now()
      const response = await fetch(`${fleet.url}/v1/models`, { headers: { authorization: `Bearer ${other.apiKey}` } })
      expect(response.status).toBe(200)
      await response.arrayBuffer()
      latencies.push(performance.now() - startedAt)
    }
  })()
  return {
    async stop(): Promise<number> {
      isOver = true
      await running
      const sorted = latencies.sort((left, right) => left - right)
      return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0
    },
  }
}
