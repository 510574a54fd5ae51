import { randomUUID } from 'node:crypto'
import { auditVoice } from '@ratchet/db/audit-voice'
import { eventually } from '@ratchet/testing/eventually'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { connectWebCaller, type WebCaller } from '@ratchet/testing/web-caller'
import pg from 'pg'
import type { Json } from './judged-traffic.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import type { FleetProcess } from './start-process.ts'
import { startVoiceFleet, type VoiceFleet } from './voice/voice-fleet.ts'

/* Calls while their workers and inference are killed and Postgres goes away: each is paid once, for what was talked. */

const size = {
  calls: Number(process.env.VOICE_CALLS_HELD ?? 100),
  kills: Number(process.env.VOICE_KILLS ?? 30),
  atOnce: 16,
}
const seed = Number(process.env.VOICE_FAULT_SEED ?? 7)
const random = seededRandom(seed)

let voice: VoiceFleet
/** Those that run now. */
const workers: FleetProcess[] = []
let inference: FleetProcess
beforeAll(async () => {
  voice = await startVoiceFleet()
  inference = voice.fleet.inference
  workers.push(voice.worker, await voice.addWorker())
}, 300_000)
afterAll(() => voice.stop(), 60_000)

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref())
const anyOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
const mediaUrl = (id: string, worker: FleetProcess) => `${worker.url.replace('http', 'ws')}/media/${id}`

/** What is asked again while the interface is unavailable. */
async function insist(method: 'GET' | 'POST', path: string, body?: object): Promise<Json> {
  return eventually(
    async () => {
      const { status, body: answer } = await voice.ask(method, path, body)
      if (status >= 500 || status === 409) return null
      if (status >= 400) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`)
      return answer
    },
    { withinMs: 60_000, everyMs: 300 },
  )
}

interface Talk {
  readonly id: string
  /** Milliseconds in which the caller was connected. */
  readonly connectedMs: number
}

/** A caller who asks, and comes back when the line is lost. */
async function talk(agentId: string): Promise<Talk> {
  const { id, client_token: token } = await insist('POST', '/calls/create', { agent_id: agentId, type: 'web' })
  const endMs = performance.now() + 6_000 + 5_000 * random()
  let connectedMs = 0
  let caller: WebCaller | null = null
  let resume = token as string | null
  while (performance.now() < endMs && resume !== null) {
    const before: WebCaller | null = caller
    const begunMs = performance.now()
    caller = connectWebCaller(mediaUrl(id, anyOf(workers)), resume, before?.ear, before?.lastPlayed)
    const opened = caller
    const isOpen = await Promise.race([
      opened.closed.then(() => false),
      eventually(() => opened.resumeToken !== null, { withinMs: 5_000 }).then(
        () => true,
        () => false,
      ),
    ])
    if (isOpen) {
      resume = opened.resumeToken
      opened.speak('What is the time?')
      await Promise.race([opened.closed, pause(Math.max(0, endMs - performance.now()))])
      connectedMs += performance.now() - begunMs
    } else await pause(300)
  }
  caller?.hangUp()
  return { id, connectedMs }
}

/** Kills something, and starts it again. @returns what it was */
async function kill(): Promise<string> {
  const what = anyOf(['worker', 'worker', 'inference', 'postgres'])
  if (what === 'worker') {
    const next = await voice.addWorker()
    const [killed] = workers.splice(0, 1)
    workers.push(next)
    killed?.signal('SIGKILL')
  } else if (what === 'inference') {
    inference.signal('SIGKILL')
    inference = await voice.fleet.restartInference()
  } else {
    await voice.fleet.postgres.refuse()
    await pause(300 + 1_200 * random())
    await voice.fleet.postgres.restore()
  }
  return what
}

async function violations(): Promise<readonly object[]> {
  const client = new pg.Client({ connectionString: voice.fleet.databaseUrl })
  await client.connect()
  try {
    const queried = { query: (text: string) => client.query(text) } as unknown as Parameters<typeof auditVoice>[0]
    return await auditVoice(queried, [queried])
  } finally {
    await client.end()
  }
}

it(`pays ${size.calls} calls right through ${size.kills} kills (seed ${seed})`, async () => {
  const { fleet, workspace } = voice
  const before = (await ledgerAtRest(fleet, workspace)).balance
  const agentId = await voice.newAgent({ name: randomUUID() })
  const talks: Talk[] = []
  let left = size.calls
  const callers = Array.from({ length: size.atOnce }, async () => {
    while (left-- > 0) talks.push(await talk(agentId))
  })
  const killed: string[] = []
  for (let i = 0; i < size.kills; i++) {
    await pause(500 + 1_000 * random())
    killed.push(await kill())
  }
  await Promise.all(callers)
  expect([talks.length, killed.length, new Set(killed).size]).toEqual([size.calls, size.kills, 3])
  let totalUsd = 0
  for (const { id, connectedMs } of talks) {
    const call = await eventually(
      async () => {
        const body = await insist('GET', `/calls/${id}`)
        return body.ended_at !== null && body.cost?.settled === true ? body : null
      },
      { withinMs: 180_000, everyMs: 500 },
    )
    totalUsd += call.cost.total_usd
    // Nobody pays for time in which nobody was connected.
    expect((call.duration_seconds ?? 0) * 1_000).toBeLessThan(connectedMs + 1_500)
  }
  expect(await violations()).toEqual([])
  const after = await ledgerAtRest(fleet, workspace)
  expect(after.violations).toEqual([])
  expect(Number(before - after.balance) / 1e9).toBeCloseTo(totalUsd, 7)
}, 600_000)
