import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createFramePacer } from '@ratchet/audio/create-frame-pacer'
import type { Pool } from '@ratchet/db/connect-pool'
import type { BaseUrlRules } from '@ratchet/http/check-base-url'
import { createSchemaChecks } from '@ratchet/judge-kit/schemas/schema-checks'
import type { Upgrades } from '@ratchet/service-kit/http/serve-http'
import type { ByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import type { SecretBox } from '@ratchet/service-kit/identity/secret-box'
import type { Drain } from '@ratchet/service-kit/process/drain'
import type { OnStop } from '@ratchet/service-kit/process/run-process'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { createPgAgents } from './agents/pg-agents.ts'
import type { CallMoney } from './calls/call-money.ts'
import { type CallWorker, createCallWorker } from './calls/call-worker.ts'
import type { CallWriters } from './calls/call-writers.ts'
import { createPgCallUpkeep, createPgCallWork } from './calls/pg-call-work.ts'
import { paidCallOf, prepareCall } from './calls/prepare-call.ts'
import type { SpokenSeal } from './calls/spoken-seal.ts'
import { createCallUpkeep } from './calls/upkeep.ts'
import { createMediaUpgrades } from './media/media-upgrades.ts'
import type { PhoneWorker } from './phone/phone-worker.ts'
import { sealedRecorders } from './recordings/call-recorder.ts'
import { createPgRecordings } from './recordings/pg-recordings.ts'
import { type PhoneConfig, startPhone } from './start-phone.ts'
import type { OpenSpeech } from './start-speech.ts'
import { createStreamUpgrades } from './stream/stream-upgrades.ts'
import { toolsOfCall } from './tools/call-tools.ts'
import { createPgVoiceTools } from './tools/pg-voice-tools.ts'

/** Milliseconds. While it holds calls, a worker says so more often: it also learns then which ones others hold. */
const every = { idleMs: 3_000, renewMs: 1_000, obeyMs: 250, upkeepMs: 4_000 }

export interface CallWorkContext {
  readonly pool: Pool
  readonly workerId: string
  readonly maxCalls: number
  readonly money: CallMoney
  readonly writers: CallWriters
  readonly secrets: SecretBox
  readonly spoken: SpokenSeal
  readonly rules: BaseUrlRules
  readonly phone: PhoneConfig
  readonly openSpeech: OpenSpeech
  readonly recordingSeal: ByteSeal
  readonly now: () => Date
  readonly drain: Drain
  readonly onStop: OnStop
  readonly onError: (error: unknown, call?: { readonly callId: string }) => void
  /** Of ticks that were more than one frame late. */
  readonly onLate: (lateMs: number) => void
}

/** Starts to hold calls. @returns what takes the callers' connections */
export async function startCallWork(
  context: CallWorkContext,
): Promise<{ readonly upgrades: Upgrades; readonly worker: CallWorker; readonly phone: PhoneWorker | null }> {
  const { pool, money, writers, secrets, spoken, rules, now, drain, onStop, onError, onLate, workerId, maxCalls } =
    context
  const work = createPgCallWork(pool)
  const agents = createPgAgents(pool)
  const tools = createPgVoiceTools(pool)
  const toolDeps = { rules, now, secrets, schemas: createSchemaChecks() }
  const nowMs = () => performance.now()
  const pacer = createFramePacer({ nowMs, schedule, onLate })
  const worker = createCallWorker({
    work,
    money,
    writers,
    spoken,
    workerId,
    maxCalls,
    openSpeech: context.openSpeech,
    openRecorder: sealedRecorders({ recordings: createPgRecordings(pool), seal: context.recordingSeal, onError }),
    pacer,
    now,
    nowMs,
    pause: (ms) => delay(ms),
    onError,
    prepare: (call, played) =>
      prepareCall(
        { work, now, agents, tools, secrets, spoken, openTools: (order) => toolsOfCall(toolDeps, order) },
        call,
        played,
      ),
    paidCallOf,
    randomBytes,
  })
  await worker.renew()
  // Before what hands calls over, because the sockets are closed after it.
  const phone = await startPhone(context.phone, { ...context, worker, pacer })
  const stops = [
    repeatEvery({
      everyMs: () => (worker.calls === 0 ? every.idleMs : every.renewMs),
      work: () => worker.renew(),
      onError,
    }),
    repeatEvery({ everyMs: every.obeyMs, work: () => worker.obey(), onError }),
    startUpkeep({ pool, money, onError }),
  ]
  drain.begun.addEventListener('abort', () => void worker.retire().catch(onError))
  drain.deadline.addEventListener('abort', () => void worker.handOver().catch(onError))
  onStop(async () => {
    await phone?.stop()
    await worker.handOver()
    await Promise.all(stops.map((stop) => stop()))
    await work.withdraw(workerId).catch(onError)
  })
  return {
    worker,
    phone,
    upgrades: anyOf(createMediaUpgrades({ worker, nowMs }), createStreamUpgrades({ worker, nowMs })),
  }
}

/** Ends calls that nobody holds and nobody answers, and deletes old texts. @returns a function that stops it */
export function startUpkeep({
  pool,
  money,
  onError,
}: Pick<CallWorkContext, 'pool' | 'money' | 'onError'>): () => Promise<void> {
  const agents = createPgAgents(pool)
  const work = createCallUpkeep({
    upkeep: createPgCallUpkeep(pool),
    money,
    nowMs: () => performance.now(),
    async paidCallOf(call) {
      const version = await agents.version({ workspaceId: call.workspaceId, id: call.agentId }, call.agentVersion)
      if (version === null) throw new Error('the version of the agent of a call does not exist')
      return paidCallOf(call, version.spec)
    },
  })
  return repeatEvery({ everyMs: every.upkeepMs, work, onError })
}

function schedule(callback: () => void, delayMs: number): () => void {
  const timer = setTimeout(callback, delayMs)
  return () => clearTimeout(timer)
}

/** The first of two that accepts a connection takes it. */
function anyOf(first: Upgrades, second: Upgrades): Upgrades {
  return {
    accepts: (request) => first.accepts(request) || second.accepts(request),
    take: (request, socket, head) => (first.accepts(request) ? first : second).take(request, socket, head),
  }
}
