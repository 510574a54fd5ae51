import { randomBytes, randomUUID } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { brandOf } from '@ratchet/contracts/brand'
import { requestTimeouts } from '@ratchet/db/connect-process-pool'
import { createUpstream } from '@ratchet/http/create-upstream'
import type { Upgrades } from '@ratchet/service-kit/http/serve-http'
import { createByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import { NamedKeys } from '@ratchet/service-kit/identity/identity'
import { createSecretBox } from '@ratchet/service-kit/identity/secret-box'
import { httpServiceConfig } from '@ratchet/service-kit/process/config'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { webhookConfig, webhookRules } from '@ratchet/service-kit/process/webhook-config'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { startWorkerProcess, type WorkerParts } from '@ratchet/work-kit/processes/start-worker-process'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createSpokenSeal, spokenSealPurpose } from './calls/spoken-seal.ts'
import { createHttpWriters } from './model/http-writers.ts'
import { recordingPurpose } from './recordings/recording.ts'
import { startCallWork } from './start-calls.ts'
import { moneyConfig, startMoney } from './start-money.ts'
import { phoneConfig } from './start-phone.ts'
import { speechConfig, startSpeech } from './start-speech.ts'
import { createWorkerMetrics } from './worker-metrics.ts'

/** Calls that a core carries, with room for what else it does. */
const callsPerCore = 20

export const VoiceWorkerConfig = z.object({
  ...httpServiceConfig,
  ...webhookConfig,
  ...moneyConfig,
  ...phoneConfig,
  ...speechConfig,
  ENCRYPTION_KEYS: NamedKeys,
  /** Calls that this worker holds at most; absent: 20 for each core. */
  VOICE_CALLS: z.coerce.number().int().min(1).max(10_000).optional(),
})
export type VoiceWorkerConfig = z.output<typeof VoiceWorkerConfig>

/** Starts a worker that holds calls; `PORT` answers probes and metrics, and takes the callers' connections. Resolves with the port. */
export function startVoiceWorker(config: VoiceWorkerConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const database = { role: 'ratchet_voice', max: 10, ...requestTimeouts } as const
  return startWorkerProcess({ name: 'voice-worker', database }, { config, logger, lifecycle }, (parts, serve) =>
    startWork(config, parts, serve),
  )
}

async function startWork(
  config: VoiceWorkerConfig,
  parts: WorkerParts,
  serve: (upgrades: Upgrades) => void,
): Promise<void> {
  const { pool, logger, lifecycle, now, metrics, drain } = parts
  const workerId = randomUUID()
  const { VOICE_CALLS: maxCalls = callsPerCore * availableParallelism() } = config
  const { money, requests } = await startMoney(config, { pool, logger, lifecycle, now, ownerId: workerId })
  const { INFERENCE_URL: url, INFERENCE_KEYS: keys, BRAND_WORD } = config
  // One for each answer, and for those that nobody waits for.
  const upstream = createUpstream({ origin: new URL(url).origin, connections: 2 * maxCalls, connectTimeoutMs: 1_000 })
  lifecycle.onStop(() => upstream.destroy())
  const onError = (err: unknown, call?: { readonly callId: string }) =>
    logger.warn({ event: 'call_failed', err, ...call }, 'a part of a call failed')
  const shown = createWorkerMetrics(metrics.registry, maxCalls)
  const { upgrades, worker } = await startCallWork({
    pool,
    workerId,
    maxCalls,
    money,
    writers: createHttpWriters({
      upstream,
      key: keys[0],
      brand: brandOf(BRAND_WORD),
      requests,
      now,
      newId: () => uuidV7(now().getTime()),
      onError,
    }),
    secrets: createSecretBox({ keys: config.ENCRYPTION_KEYS, randomBytes }),
    spoken: createSpokenSeal(
      createByteSeal({ keys: config.ENCRYPTION_KEYS, purpose: spokenSealPurpose, randomBytes, now }),
    ),
    recordingSeal: createByteSeal({ keys: config.ENCRYPTION_KEYS, purpose: recordingPurpose, randomBytes, now }),
    rules: webhookRules(config),
    phone: config,
    openSpeech: await startSpeech(config, {
      lifecycle,
      maxCalls,
      onLost: (lost) => logger.warn({ event: 'speech_lost', ...lost }, 'a provider of speech failed in a call'),
    }),
    now,
    drain,
    onStop: lifecycle.onStop,
    onError,
    onLate: shown.late,
  })
  shown.watch(worker)
  serve(upgrades)
}
