import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { elapse } from '@ratchet/testing/elapse'
import { eventually } from '@ratchet/testing/eventually'
import { adminAudit, cleanAudit } from './admin-audit.ts'
import { memoryGrowthMb } from './faults/resident-memory.ts'
import {
  chatChunk,
  type ScriptedUpstream,
  startScriptedUpstream,
  type UpstreamHandler,
} from './faults/scripted-upstream.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { type MountedCatalog, mountedCatalog } from './mounted-catalog.ts'
import { choose, workspaceWith } from './workspace-with.ts'

/** Clients of one workspace that begin an answer and hardly read it. */
const clients = 60
/** Each stream would have so many bytes, within what its request allows. */
const streamBytes = 100_000_000
/** What the kernel keeps in the sockets between provider and client is sent, but is in no process. */
const maxSentBytes = 24_000_000
/**
 * Of 6 GB that the provider offers, about 350 MB pass until all sockets are full. Some 20 MB of it wait for clients; the rest is
 * garbage that is not collected yet.
 */
const maxGrowthMb = 192
/** Milliseconds for which a client may read nothing; 60 s in production. All streams have begun before. */
const stalledMs = 20_000

const stops: (() => Promise<unknown>)[] = []
let upstream: ScriptedUpstream
let catalog: MountedCatalog
let fleet: Fleet
let hostile: DemoWorkspace
let other: DemoWorkspace

beforeAll(async () => {
  upstream = await startScriptedUpstream((stop) => stops.push(stop))
  const providers = [{ id: 'scripted', base_url: upstream.baseUrl }]
  catalog = await mountedCatalog({ providers, models: [{ id: 'scripted/chat', max_output_tokens: 128_000 }] })
  const env = {
    CATALOG_DIR: catalog.folder,
    STALLED_CLIENT_MS: String(stalledMs),
    SLOW_READER_TIMEOUT_MS: String(stalledMs),
  }
  fleet = await startFleet({ env, workspace: { balanceUsd: '1000.00' } })
  hostile = fleet.workspace
  await choose(fleet, hostile, { loggingEnabled: true })
  other = await workspaceWith(fleet)
  await leaveOne()
}, 300_000)

afterAll(async () => {
  await fleet?.stop()
  await catalog?.remove()
  for (const stop of stops) await stop()
}, 180_000)

const nextTurn = promisify(setImmediate)
const chunk = (delta: object) => `data: ${chatChunk({ delta })}\n\n`
/** A provider that writes each in a separate chunk made the buffer of its socket grow without a limit. */
const pieces = chunk({ x: 'y'.repeat(2_800) })

it.each([
  ['pieces of 3 kB', pieces, false],
  ['frames of 500 kB', chunk({ x: 'y'.repeat(500_000) }), false],
  ['pieces of 3 kB, of which they read a few bytes a second,', pieces, true],
])(
  'clients that do not read their streams of %s hold a limited part of the memory, and are cut and pay',
  async (_name, piece, readsSlowly) => {
    const sent: number[] = []
    upstream.answer(endlessly(piece, sent))
    const before = (await ledgerAtRest(fleet, hostile)).posted
    let refused = 0
    const grownMb = await memoryGrowthMb([...fleet.edges, fleet.inference], async () => {
      const sockets = await Promise.all(Array.from({ length: clients }, () => beginAndHardlyRead({ readsSlowly })))
      await eventually(() => expect(sent).toHaveLength(clients), { withinMs: 120_000 })
      await stillness(() => sent.reduce((sum, bytes) => sum + bytes, 0))
      expect(await statusOf(other)).toBe(200)
      await eventually(() => expect(upstream.open).toBe(0), { withinMs: 6 * stalledMs, everyMs: 500 })
      refused = (await Promise.all(sockets.map(statusAfter))).filter((status) => status === 503).length
    })
    expect(Math.max(...sent)).toBeLessThan(maxSentBytes)
    expect(grownMb).toBeLessThan(maxGrowthMb)
    // Each pays as a client that leaves, but those whose workspace had no memory for the first frame got nothing.
    expect(refused).toBeLessThan(clients / 2)
    expect(await ledgerAtRest(fleet, hostile)).toMatchObject({ posted: before + clients - refused, violations: [] })
  },
  300_000,
)

it('clients that do not read unstreamed answers hold the share of their workspace', async () => {
  const content = 'word '.repeat(800_000)
  const answer = { id: 'c', object: 'chat.completion', created: 1, model: 'm' }
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
  const usage = { prompt_tokens: 5, completion_tokens: 40_000, total_tokens: 40_005 }
  upstream.answer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ ...answer, choices, usage }))
  })
  const grownMb = await memoryGrowthMb([...fleet.edges, fleet.inference], async () => {
    const sockets: Socket[] = []
    for (let n = 0; n < clients; n += 1) sockets.push(await beginAndHardlyRead({ stream: false }))
    await stillness(() => upstream.calls)
    await elapse(5_000)
    expect(await statusOf(other)).toBe(200)
    const statuses = await Promise.all(sockets.map(statusAfter))
    // A machine that is slow enough refuses some before their model is called.
    expect(upstream.calls + statuses.filter((status) => status === 429 || status === 503).length).toBe(clients)
  })
  expect(grownMb).toBeLessThan(maxGrowthMb)
}, 240_000)

it('leaves ledgers that are correct', async () => {
  expect(await adminAudit(fleet, [hostile, other])).toEqual(cleanAudit)
}, 300_000)

/** A process keeps the memory of its first answer, and of the vocabulary that counts one that was left. */
async function leaveOne(): Promise<void> {
  upstream.answer(endlessly(chunk({ content: 'word '.repeat(500) }), []))
  const socket = await beginAndHardlyRead({})
  await elapse(1_000)
  socket.destroy()
  await eventually(() => expect(upstream.open).toBe(0), { withinMs: 45_000 })
  await ledgerAtRest(fleet, hostile)
}

/** Sends until the gateway stops reading. */
function endlessly(piece: string, sent: number[]): UpstreamHandler {
  return async (_request, response) => {
    const index = sent.push(0) - 1
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const closed = once(response, 'close')
    while (!response.destroyed && (sent[index] ?? 0) < streamBytes) {
      sent[index] = (sent[index] ?? 0) + piece.length
      await (response.write(piece) ? nextTurn() : Promise.race([once(response, 'drain'), closed]))
    }
  }
}

interface HardlyRead {
  /** Whether it reads 16 bytes each half a second, or nothing. */
  readonly readsSlowly?: boolean
  readonly stream?: boolean
}

async function beginAndHardlyRead({ readsSlowly = false, stream = true }: HardlyRead): Promise<Socket> {
  const { hostname, port } = new URL(fleet.url)
  const onread = { buffer: Buffer.alloc(16), callback: () => false }
  const socket = connect({ port: Number(port), host: hostname, ...(readsSlowly ? { onread } : {}) })
  socket.on('error', () => undefined).pause()
  await once(socket, 'connect')
  if (readsSlowly) {
    const timer = setInterval(() => socket.resume(), 500)
    socket.once('close', () => clearInterval(timer))
  }
  const messages = [{ role: 'user', content: 'Hi' }]
  const body = JSON.stringify({ model: 'scripted/chat', stream, max_tokens: 50_000, messages })
  const lines = [
    'POST /v1/chat/completions HTTP/1.1',
    'host: gateway',
    `authorization: Bearer ${hostile.apiKey}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
  return socket
}

/** The status of what waits for a client; null when its connection was broken before it read. Ends the connection. */
async function statusAfter(socket: Socket): Promise<number | null> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.resume()
  await Promise.race([once(socket, 'data'), once(socket, 'close'), elapse(2_000)])
  socket.destroy()
  const [, status] = Buffer.concat(chunks).toString('latin1').split(' ', 2)
  return status === undefined ? null : Number(status)
}

/** Resolves when the number has not changed for two seconds: every stream waits for its client. */
async function stillness(count: () => number): Promise<void> {
  for (let before = -1; before !== count() || before === 0; ) {
    before = count()
    await elapse(2_000)
  }
}

async function statusOf({ apiKey }: DemoWorkspace): Promise<number> {
  const response = await fetch(`${fleet.url}/v1/models`, { headers: { authorization: `Bearer ${apiKey}` } })
  await response.arrayBuffer()
  return response.status
}
