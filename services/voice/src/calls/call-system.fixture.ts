import { randomBytes, randomUUID } from 'node:crypto'
import { publicId, uuidOf } from '@ratchet/contracts/public-id'
import { connectPool } from '@ratchet/db/connect-pool'
import { serveHttp } from '@ratchet/service-kit/http/serve-http'
import { createByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import { createSecretBox } from '@ratchet/service-kit/identity/secret-box'
import { createDrain } from '@ratchet/service-kit/process/drain'
import { runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { connectWebCaller, type WebCaller } from '@ratchet/testing/web-caller'
import { recordingPurpose } from '../recordings/recording.ts'
import { startCallWork } from '../start-calls.ts'
import type { PhoneConfig } from '../start-phone.ts'
import { type SpeechConfig, startSpeech } from '../start-speech.ts'
import { newAgent, secretKey, type TestVoiceApp } from '../voice-app.fixture.ts'
import { shippedVoicesDir } from '../voices/installed-speech.ts'
import type { CallMoney } from './call-money.ts'
import type { CallWriters } from './call-writers.ts'
import { createSpokenSeal, spokenSealPurpose } from './spoken-seal.ts'

export interface TestWorker {
  readonly id: string
  readonly port: number
  readonly errors: unknown[]
  /** As after SIGTERM, with this time for calls under way. */
  stop(): Promise<void>
}

export interface TestWorkerOptions {
  readonly databaseUrl: string
  readonly money: CallMoney
  readonly writers: CallWriters
  readonly maxCalls?: number
  readonly phone?: Partial<PhoneConfig>
  readonly speech?: Partial<SpeechConfig>
}

/** A worker in this process, on a free port. */
export async function startTestWorker(options: TestWorkerOptions): Promise<TestWorker> {
  const { databaseUrl, money, writers, maxCalls = 60 } = options
  const stops: Stop[] = []
  const errors: unknown[] = []
  const onStop = (stop: Stop) => void stops.push(stop)
  const pool = connectPool({ databaseUrl, role: 'ratchet_voice', max: 6 })
  onStop(() => pool.end())
  const drain = createDrain()
  const id = randomUUID()
  const { upgrades } = await startCallWork({
    pool,
    workerId: id,
    maxCalls,
    money,
    writers,
    secrets: createSecretBox({ keys: [secretKey], randomBytes }),
    spoken: createSpokenSeal(
      createByteSeal({ keys: [secretKey], purpose: spokenSealPurpose, randomBytes, now: () => new Date() }),
    ),
    recordingSeal: createByteSeal({
      keys: [secretKey],
      purpose: recordingPurpose,
      randomBytes,
      now: () => new Date(),
    }),
    openSpeech: await startSpeech(
      { VOICE_VOICES_DIR: shippedVoicesDir, ...options.speech },
      { lifecycle: { onStop }, maxCalls, onLost: () => undefined },
    ),
    phone: { RTP_PORTS: [32_500, 32_599], ...options.phone },
    rules: { customHosts: true, allowedHosts: new Set(['tools.test']) },
    now: () => new Date(),
    drain,
    onStop,
    onError: (error) => void errors.push(error),
    onLate: () => undefined,
  })
  const port = await serveHttp({
    listener: (_request, response) => response.writeHead(404).end(),
    upgrades,
    port: 0,
    host: '127.0.0.1',
    drain,
    drainDelayMs: 0,
    drainTimeoutMs: 100,
    lifecycle: { onStop, hurry: new AbortController().signal },
  })
  return { id, port, errors, stop: () => runStops(stops, silentLogger) }
}

export interface NewTestCall {
  readonly agent?: object
  readonly call?: object
  readonly by?: string
}

/** Creates an agent and a call of it by the API. */
export async function createTestCall(app: TestVoiceApp, { agent = {}, call = {}, by }: NewTestCall = {}) {
  const sent = by === undefined ? {} : { by }
  const created = await app.send('post', '/v1/agents', {
    body: { ...newAgent, ai_disclosure: false, turn_taking: { detector: 'vad' }, ...agent },
    ...sent,
  })
  const answer = await app.send('post', '/v1/calls/create', {
    body: { agent_id: created.body.id, type: 'web', ...call },
    ...sent,
  })
  return { status: answer.status, call: answer.body, agent: created.body }
}

/** A caller of a call that the API created. */
export function joinCall(
  { id, client_token: token }: { readonly id: string; readonly client_token: string },
  { port }: Pick<TestWorker, 'port'>,
): WebCaller {
  return connectWebCaller(mediaUrl(id, port), token)
}

export function rejoinCall(before: WebCaller, id: string, { port }: Pick<TestWorker, 'port'>): WebCaller {
  return connectWebCaller(mediaUrl(id, port), before.resumeToken, before.ear, before.lastPlayed)
}

export const mediaUrl = (id: string, port: number): string => `ws://127.0.0.1:${port}/media/${id}`
export const uuidOfCall = (id: string): string => uuidOf('call', id) ?? publicId('call', id)
