import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '@ratchet/db/connect-pool'
import { requestTimeouts } from '@ratchet/db/connect-process-pool'
import { createSchemaChecks } from '@ratchet/judge-kit/schemas/schema-checks'
import { createByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import { calleeConfig, readCallee } from '@ratchet/service-kit/identity/caller-keys'
import { NamedKeys } from '@ratchet/service-kit/identity/identity'
import { createSecretBox } from '@ratchet/service-kit/identity/secret-box'
import { httpServiceConfig } from '@ratchet/service-kit/process/config'
import type { Lifecycle } from '@ratchet/service-kit/process/run-process'
import { webhookConfig, webhookRules } from '@ratchet/service-kit/process/webhook-config'
import { hourMs } from '@ratchet/service-kit/timing/durations'
import { repeatEvery } from '@ratchet/service-kit/timing/repeat-every'
import { createPgFirstAnswers, sweepAnswers } from '@ratchet/work-kit/answers/pg-first-answers'
import { startErasures } from '@ratchet/work-kit/erasure/start-erasures'
import { type AppParts, startApi } from '@ratchet/work-kit/processes/start-api'
import type { Express } from 'express'
import type { Logger } from 'pino'
import { z } from 'zod'
import { createPgAgents } from './agents/pg-agents.ts'
import { createVoiceApp } from './app.ts'
import { createPgCalls } from './calls/pg-calls.ts'
import { voiceRooms } from './erasure/pg-erasure-rooms.ts'
import { createPgNumbers } from './numbers/pg-numbers.ts'
import { createPgRecordings } from './recordings/pg-recordings.ts'
import { recordingPurpose } from './recordings/recording.ts'
import { startUpkeep } from './start-calls.ts'
import { startCarriers } from './start-carriers.ts'
import { startDemand } from './start-demand.ts'
import { loopConfig, startLoop } from './start-loop.ts'
import { moneyConfig, startMoney } from './start-money.ts'
import { offeredSpeech, speechConfig } from './start-speech.ts'
import { startTrials } from './start-trials.ts'
import { createPgVoiceTools } from './tools/pg-voice-tools.ts'

export const VoiceConfig = z.object({
  ...httpServiceConfig,
  ...calleeConfig,
  ...webhookConfig,
  ...moneyConfig,
  ...loopConfig,
  ...speechConfig,
  /** Encrypt secrets of tools and of variables: 32 bytes each, `k1:<base64>,…`. The first key encrypts, all decrypt. */
  ENCRYPTION_KEYS: NamedKeys,
  /** Where clients reach the voice interface, such as `https://voice.example.com`. */
  VOICE_ORIGIN: z.url({ protocol: /^https?$/ }),
  /** Where trunks reach workers, `host:port`; absent: workspaces have no telephone numbers. */
  SIP_ADDRESS: z
    .string()
    .regex(/^[A-Za-z0-9.:[\]-]+:\d{2,5}$/, 'This must be host:port.')
    .optional(),
})
export type VoiceConfig = z.output<typeof VoiceConfig>

/** Starts the API of voice agents and resolves with the port it is bound to. */
export function startVoice(config: VoiceConfig, logger: Logger, lifecycle: Lifecycle): Promise<number> {
  const database = { role: 'ratchet_voice', max: 10, ...requestTimeouts } as const
  return startApi({ name: 'voice', database }, { config, logger, lifecycle }, (parts, pool) =>
    createApi(config, lifecycle, parts, pool),
  )
}

async function createApi(config: VoiceConfig, lifecycle: Lifecycle, parts: AppParts, pool: Pool): Promise<Express> {
  const { now, newId, logger } = parts
  const onError = (err: unknown) => logger.warn({ event: 'voice_upkeep_failed', err }, 'upkeep of calls failed')
  const tools = createPgVoiceTools(pool)
  const toolDeps = {
    rules: webhookRules(config),
    secrets: createSecretBox({ keys: config.ENCRYPTION_KEYS, randomBytes }),
    schemas: createSchemaChecks(),
  }
  const onLoopError = (err: unknown, call?: { readonly callId: string }) =>
    logger.warn({ event: 'voice_loop_failed', err, ...call }, 'a call was not judged, or a canary not watched')
  const { money, costs } = await startMoney(config, { pool, logger, lifecycle, now, ownerId: null })
  lifecycle.onStop(startUpkeep({ pool, money, onError }))
  startDemand({ pool, metrics: parts.metrics, nowMs: () => performance.now(), onStop: lifecycle.onStop, onError })
  const sweep = () => sweepAnswers(pool, 'voice_answer')
  lifecycle.onStop(repeatEvery({ everyMs: hourMs, work: sweep, onError }))
  startErasures({ service: 'voice', pool, databaseUrl: config.DATABASE_URL, lifecycle, logger }, voiceRooms)
  return createVoiceApp({
    ...parts,
    ...readCallee(config),
    agents: createPgAgents(pool),
    tools,
    ...startTrials(config, { lifecycle, now, newId, tools: toolDeps, onError: onLoopError }),
    ...(await offeredSpeech(config)),
    ...toolDeps,
    calls: createPgCalls(pool),
    numbers: createPgNumbers(pool),
    recordings: createPgRecordings(pool),
    recordingSeal: createByteSeal({ keys: config.ENCRYPTION_KEYS, purpose: recordingPurpose, randomBytes, now }),
    resolve: async (host) => (await lookup(host)).address,
    sipAddress: config.SIP_ADDRESS ?? null,
    ...startCarriers(config, { pool, lifecycle, onError: onLoopError }),
    ...startLoop(config, { pool, logger, lifecycle, now, newId, onError: onLoopError }),
    money,
    costs,
    mediaOrigin: new URL(config.VOICE_ORIGIN).origin.replace(/^http/, 'ws'),
    pause: (ms) => delay(ms),
    firstAnswers: createPgFirstAnswers(pool, 'voice_answer'),
    randomBytes,
  })
}
