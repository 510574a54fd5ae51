import { eventually } from '@ratchet/testing/eventually'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { adminAudit, cleanAudit } from './admin-audit.ts'
import { faultOrder } from './fault-order.ts'
import { migratedDatabase, type OwnPostgres, ownPostgres, storesWith } from './faults/own-stores.ts'
import { ledgerAtRest } from './ledger-oracle.ts'
import type { FleetProcess } from './start-process.ts'
import { type HeldCall, stayOnCall } from './voice/staying-caller.ts'
import { startVoiceFleet, type VoiceFleet, type VoiceTenant } from './voice/voice-fleet.ts'

/* Many calls, while their workers, inference and Postgres are killed again and again. */

/** Calls, kills meanwhile, and what decides their order. */
const calls = Number(process.env.VOICE_CALLS ?? 100)
const kills = Number(process.env.VOICE_KILLS ?? 30)
const seed = Number(process.env.VOICE_FAULT_SEED ?? 1)
const atOnce = 12
const staysMs = { least: 10_000, most: 30_000 }
const withinMs = 120_000 + (calls / atOnce) * 60_000 + kills * 15_000

const random = seededRandom(seed)
const undo: (() => Promise<unknown>)[] = []
let postgres: OwnPostgres
let voice: VoiceFleet
let workers: FleetProcess[]

beforeAll(async () => {
  const onStop = (step: () => Promise<unknown>) => void undo.push(step)
  postgres = await ownPostgres(onStop)
  const stores = await storesWith(onStop, { databaseUrl: await migratedDatabase(postgres) })
  voice = await startVoiceFleet({ stores, env: { VOICE_CALLS: '20', ABUSE_GUARD_LIMIT: '100000' } })
  workers = [voice.worker, await voice.addWorker()]
}, 300_000)
afterAll(async () => {
  await voice?.stop()
  for (const step of undo.splice(0).reverse()) await step()
}, 180_000)

const faults = {
  async worker() {
    const killed = workers.shift()
    killed?.signal('SIGKILL')
    workers.push(await voice.addWorker())
  },
  async inference() {
    const { inference } = voice.fleet
    const running = voice.fleet.processes.findLast(({ url }) => url === inference.url) ?? inference
    running.signal('SIGKILL')
    await running.exited
    await voice.fleet.restartInference()
  },
  async postgres() {
    await postgres.kill()
    await postgres.start()
  },
}
const kinds = Object.keys(faults) as (keyof typeof faults)[]

/** Creates a call, again while something is away, and holds it. */
async function oneCall(ask: VoiceTenant['ask'], agentId: string): Promise<HeldCall> {
  const call = await eventually(
    async () => {
      const { status, body } = await ask('POST', '/calls/create', { agent_id: agentId, type: 'web' })
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
      return body
    },
    { withinMs: 120_000, everyMs: 500 },
  )
  return stayOnCall({
    ask,
    call,
    workers: () => workers,
    staysMs: staysMs.least + random() * (staysMs.most - staysMs.least),
  })
}

/** Holds all calls, each with a key of its own, some at a time; calls `onEnd` after each. */
async function holdAll(agentId: string, onEnd: () => void): Promise<readonly HeldCall[]> {
  const keys = await Promise.all(Array.from({ length: calls }, () => voice.withAnotherKey()))
  const held: HeldCall[] = []
  const work = async () => {
    for (let ask = keys.pop(); ask !== undefined; ask = keys.pop()) {
      held.push(await oneCall(ask, agentId))
      onEnd()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return held
}

/** Whether all words come in the other list, in order. */
function areInOrder(words: readonly string[], heard: readonly string[]): boolean {
  let at = 0
  for (const word of words) {
    at = heard.indexOf(word, at) + 1
    if (at === 0) return false
  }
  return true
}

it(
  `charges each of ${calls} calls right, once, over ${kills} kills (seed ${seed})`,
  async () => {
    const { fleet, workspace } = voice
    const before = (await ledgerAtRest(fleet, workspace)).balance
    const agentId = await voice.newAgent({ first_message: Array.from({ length: 12 }, (_, i) => `word${i}`).join(' ') })
    let ended = 0
    const holding = holdAll(agentId, () => ended++)
    for (const [index, kind] of faultOrder(kinds, kills, random).entries()) {
      const due = Math.floor((calls * (index + 0.5)) / (kills + 1))
      await eventually(() => ended >= due, { withinMs, everyMs: 50 })
      await faults[kind]()
    }
    const held = await holding
    let charged = 0n
    for (const { id, ear, losses, heldMs } of held) {
      const ask = await voice.withAnotherKey()
      const { body } = await eventually(
        async () => {
          const read = await ask('GET', `/calls/${id}`)
          return read.body.cost?.settled === true ? read : null
        },
        { withinMs: 400_000, everyMs: 1_000 },
      )
      charged += BigInt(Math.round(body.cost.total_usd * 1e9))
      const written = body.transcript
        .filter(({ role }: { role: string }) => role === 'agent')
        .flatMap(({ text }: { text: string }) => text.split(' '))
      const chargedMs = (body.duration_seconds ?? 0) * 1_000
      const call = { id, reason: body.ended_reason, written, ear, losses, heldMs, chargedMs }
      expect({ ...call, areInOrder: areInOrder(written, ear) }).toEqual({ ...call, areInOrder: true })
      // Never more than the caller was connected, and at most two seconds less for each worker that died.
      expect({ ...call, over: chargedMs > heldMs.most + 100 }).toEqual({ ...call, over: false })
      expect({ ...call, short: heldMs.least - chargedMs > 2_000 * (losses + 1) }).toEqual({ ...call, short: false })
    }
    const after = (await ledgerAtRest(fleet, workspace)).balance
    expect(before - after).toBe(charged)
    expect(await adminAudit(fleet, [workspace])).toEqual(cleanAudit)
  },
  withinMs + 500_000,
)
