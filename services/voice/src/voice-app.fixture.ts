import { randomBytes, randomUUID } from 'node:crypto'
import { fleetIdentity, type Role, type VoiceKey } from '@ratchet/contracts/identity'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { createSchemaChecks } from '@ratchet/judge-kit/schemas/schema-checks'
import { notFound } from '@ratchet/service-kit/http/service-error'
import { createByteSeal } from '@ratchet/service-kit/identity/byte-seal'
import { createSecretBox } from '@ratchet/service-kit/identity/secret-box'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { testAppDeps, testCaller } from '@ratchet/testing/service-app'
import { createPgFirstAnswers } from '@ratchet/work-kit/answers/pg-first-answers'
import request from 'supertest'
import { createPgAgents } from './agents/pg-agents.ts'
import { createVoiceApp, type VoiceDeps } from './app.ts'
import { type MemoryMoney, memoryMoney } from './calls/memory-money.fixture.ts'
import { createPgCalls } from './calls/pg-calls.ts'
import { paidCallOf } from './calls/prepare-call.ts'
import { type TestAnswer, type TestWriters, testWriters } from './calls/test-writers.fixture.ts'
import { createPgCanaries } from './canaries/pg-canaries.ts'
import type { CarrierApi } from './carriers/carrier-api.ts'
import { createPgCarrierCalls } from './carriers/pg-carrier-calls.ts'
import { createPgVerdicts } from './judgements/pg-verdicts.ts'
import { createPgNumbers } from './numbers/pg-numbers.ts'
import { createPgRecordings } from './recordings/pg-recordings.ts'
import { recordingPurpose } from './recordings/recording.ts'
import { createPgVoiceTools } from './tools/pg-voice-tools.ts'
import { listedVoices } from './voices/voice-list.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
type Json = any

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

export interface Sent {
  readonly body?: unknown
  /** Workspace. */
  readonly by?: string
  readonly role?: Role
  readonly userId?: string
  readonly voice?: VoiceKey
  readonly headers?: Readonly<Record<string, string>>
  /** The body of the answer is bytes. */
  readonly isBinary?: boolean
}

export interface TestVoiceApp {
  readonly workspaceId: string
  readonly databaseUrl: string
  readonly pool: Pool
  readonly money: MemoryMoney
  /** Public ids of judges of whole calls. */
  readonly judges: Set<string>
  /** Models of trials. */
  readonly writers: TestWriters
  /** Has all rights. */
  readonly operator: Pool
  send(method: Method, path: string, sent?: Sent): Promise<{ status: number; body: Json; headers: Json }>
  /** A form that a carrier sends, as the edge passes it on. */
  sendForm(
    path: string,
    body: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ status: number; text: string }>
  drop(): Promise<void>
}

/** Carriers that have no number. */
const noCarriers: CarrierApi = {
  hasNumber: async () => false,
  dial: async () => ({ kind: 'refused', status: 401 }),
  hangUp: async () => false,
}

/** Encrypts secrets in tests. */
export const secretKey = { id: 'k1', secret: Buffer.alloc(32, 7) }

/** The API of the voice service on a database of its own, called as the edge does. */
export async function voiceApp(
  answer: TestAnswer = () => 'All right.',
  changes: Partial<VoiceDeps> = {},
): Promise<TestVoiceApp> {
  const writers = testWriters(answer)
  const database = await freshDatabase()
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_voice', max: 8 })
  const operator = connectPool({ databaseUrl: database.url, max: 1 })
  const now = () => new Date()
  const money = memoryMoney()
  const judges = new Set<string>()
  const caller = testCaller({ audience: 'voice', now })
  const app = createVoiceApp({
    ...testAppDeps(now),
    agents: createPgAgents(pool),
    tools: createPgVoiceTools(pool),
    voiceList: listedVoices(),
    recognizers: new Set(['sim']),
    secrets: createSecretBox({ keys: [secretKey], randomBytes }),
    schemas: createSchemaChecks(),
    rules: { customHosts: true, allowedHosts: new Set(['tools.test', '127.0.0.2']) },
    calls: createPgCalls(pool),
    numbers: createPgNumbers(pool),
    recordings: createPgRecordings(pool),
    recordingSeal: createByteSeal({ keys: [secretKey], purpose: recordingPurpose, randomBytes, now }),
    resolve: async (host) => (host === 'trunk.example.com' ? '1.2.3.4' : Promise.reject(new Error('no such name'))),
    sipAddress: 'sip.voice.test:5060',
    origin: 'https://voice.test',
    carriers: noCarriers,
    carrierCalls: createPgCarrierCalls(pool),
    paidCallOf: async (call) => {
      const version = await createPgAgents(pool).version(
        { workspaceId: call.workspaceId, id: call.agentId },
        call.agentVersion,
      )
      if (version === null) throw new Error('no version')
      return paidCallOf(call, version.spec)
    },
    canaries: createPgCanaries(pool),
    writers,
    openTools: ({ tools: offered }) => ({
      call: ({ name, arguments: json }, onResult) => onResult(`${offered.length} tools: ${name} ${json}`),
    }),
    verdicts: createPgVerdicts(pool),
    requireCallJudge: async (_identity, id, { param }) => {
      if (!judges.has(id)) throw notFound('criterion', param)
    },
    money: money.money,
    costs: money.costs,
    mediaOrigin: 'wss://voice.test',
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms / 5).unref()),
    firstAnswers: createPgFirstAnswers(pool, 'voice_answer'),
    identityKeys: [caller.key],
    acceptsSharedKeys: false,
    randomBytes,
    newId: randomUUID,
    now,
    ...changes,
  })
  const workspaceId = randomUUID()
  return {
    workspaceId,
    judges,
    writers,
    pool,
    databaseUrl: database.url,
    money,
    operator,
    async send(
      method,
      path,
      { body, by = workspaceId, role = 'owner', userId = by, voice, headers = {}, isBinary } = {},
    ) {
      const identity = { workspaceId: by, userId, keyId: by, role, ...(voice === undefined ? {} : { voice }) }
      const sent = request(app)
        [method](path)
        .set({ ...caller.headersFor(method, path, identity), ...headers })
      if (isBinary === true) sent.responseType('blob')
      return body === undefined ? sent : sent.set('content-type', 'application/json').send(body as object)
    },
    async sendForm(path, body, headers) {
      const signed = caller.headersFor('post', path, fleetIdentity)
      const type = 'application/x-www-form-urlencoded'
      const { status, text } = await request(app)
        .post(path)
        .set({ ...signed, ...headers, 'content-type': type })
        .send(body)
      return { status, text }
    },
    async drop() {
      await Promise.all([pool.end(), operator.end()])
      await database.drop()
    },
  }
}

export const newAgent = {
  name: 'Reception',
  system_prompt: 'You answer the telephone of {{company}}.',
  language: 'en-us',
  voice: 'sim/readable',
  model: 'sim/assistant',
  variables: [{ name: 'company', default: 'Example Ltd' }],
}

export const newTool = {
  name: 'find_order',
  description: 'Finds an order by its number.',
  parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
  http: { url: 'https://example.com/orders', secret_headers: { authorization: 'Bearer 123456' } },
}
