import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import type { DemoWorkspace } from '@ratchet/testing/demo-workspace'
import { elapse } from '@ratchet/testing/elapse'
import { adminAudit, cleanAudit } from './admin-audit.ts'
import { memoryGrowthMb } from './faults/resident-memory.ts'
import { chatChunk, type ScriptedUpstream, startScriptedUpstream } from './faults/scripted-upstream.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import { type MountedCatalog, mountedCatalog } from './mounted-catalog.ts'
import { choose, workspaceWith } from './workspace-with.ts'

/** Clients of one workspace that begin a stream and never read a byte of it. */
const clients = 60
/** Each stream would have so many bytes, within what its request allows. */
const streamBytes = 100_000_000
/** What the kernel keeps in the sockets between provider and client is sent, but is in no process. */
const maxSentBytes = 24_000_000
/**
 * Of 6 GB that the provider offers, about 500 MB pass until all sockets are full. Some of it is read and not freed yet;
 * without back-pressure a process would hold all of it.
 */
const maxGrowthMb = 256
/** Another workspace's requests take at most so long at p95, or twice as long as before on a busy machine. */
const maxProbeMs = 50
const maxRatio = 2
/** How often they are measured: what the machine does besides is over then, and the streams still wait. */
const attempts = 3

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
  fleet = await startFleet({ env: { CATALOG_DIR: catalog.folder }, workspace: { balanceUsd: '1000.00' } })
  hostile = fleet.workspace
  await choose(fleet, hostile, { loggingEnabled: true })
  other = await workspaceWith(fleet)
  // A process keeps the memory of its first answers for the next ones.
  await probe()
}, 90_000)

afterAll(async () => {
  await fleet?.stop()
  await catalog?.remove()
  for (const stop of stops) await stop()
}, 60_000)

const nextTurn = promisify(setImmediate)
const chunk = (delta: object) => `data: ${chatChunk({ delta })}\n\n`

it.each([
  ['words', chunk({ content: 'word ' }).repeat(100)],
  ['frames of 500 kB', chunk({ x: 'y'.repeat(500_000) })],
  ['objects', chunk({ x: Array(3_000).fill({}) })],
  ['comments', ': ping\n\n'.repeat(5_000)],
])(
  'clients that do not read their streams of %s hold a limited part of the memory',
  async (_name, piece) => {
    const sent: number[] = []
    upstream.answer(async (_request, response) => {
      const index = sent.push(0) - 1
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const closed = once(response, 'close')
      while (!response.destroyed && (sent[index] ?? 0) < streamBytes) {
        sent[index] = (sent[index] ?? 0) + piece.length
        await (response.write(piece) ? nextTurn() : Promise.race([once(response, 'drain'), closed]))
      }
    })
    const quietMs = await probe()
    const limitMs = Math.max(maxProbeMs, maxRatio * quietMs)
    const attackedMs: number[] = []
    const grownMb = await memoryGrowthMb([...fleet.edges, fleet.inference], async () => {
      const sockets = await Promise.all(Array.from({ length: clients }, beginAndNeverRead))
      await stillness(() => sent.reduce((sum, bytes) => sum + bytes, 0))
      do attackedMs.push(await probe())
      while (attackedMs.length < attempts && Math.min(...attackedMs) > limitMs)
      for (const socket of sockets) socket.destroy()
    })
    expect(sent).toHaveLength(clients)
    expect(Math.max(...sent)).toBeLessThan(maxSentBytes)
    expect(grownMb).toBeLessThan(maxGrowthMb)
    expect(Math.min(...attackedMs)).toBeLessThanOrEqual(limitMs)
    expect(await ledgerAtRest(fleet, hostile)).toMatchObject({ violations: [] })
  },
  120_000,
)

it('leaves ledgers that are correct', async () => {
  expect(await adminAudit(fleet, [hostile, other])).toEqual(cleanAudit)
}, 60_000)

async function beginAndNeverRead(): Promise<Socket> {
  const { hostname, port } = new URL(fleet.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined).pause()
  await once(socket, 'connect')
  const messages = [{ role: 'user', content: 'Hi' }]
  const body = JSON.stringify({ model: 'scripted/chat', stream: true, max_tokens: 50_000, messages })
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

/** Resolves when the number has not changed for two seconds: every stream waits for its client. */
async function stillness(count: () => number): Promise<void> {
  for (let before = -1; before !== count() || before === 0; ) {
    before = count()
    await elapse(2_000)
  }
}

/** The p95 of requests of another workspace, milliseconds. */
async function probe(): Promise<number> {
  const latencies: number[] = []
  for (let n = 0; n < 100; n += 1) {
    const startedAt = performance.now()
    const response = await fetch(`${fleet.url}/v1/models`, { headers: { authorization: `Bearer ${other.apiKey}` } })
    expect(response.status).toBe(200)
    await response.arrayBuffer()
    latencies.push(performance.now() - startedAt)
  }
  return latencies.toSorted((left, right) => left - right)[94] ?? 0
}
