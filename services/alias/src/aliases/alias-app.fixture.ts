import { randomBytes, randomUUID } from 'node:crypto'
import type { Identity, Role } from '@ratchet/contracts/identity'
import type { VersionFacts } from '@ratchet/contracts/internal-versions'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { createWorkspaceClients } from '@ratchet/db/workspace-clients'
import type { ModelCatalog } from '@ratchet/judge-kit/fleet/model-catalog'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { firstUuidV7At, uuidV7 } from '@ratchet/service-kit/values/ids'
import { fixedClock } from '@ratchet/testing/fixed-clock'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { testAppDeps, testCaller } from '@ratchet/testing/service-app'
import request from 'supertest'
import { createApp } from '../app.ts'
import type { GateJudge } from '../gate/gate-judge.ts'
import { createPgCanary } from '../gate/pg-canary.ts'
import { createPgGateLooks } from '../gate/pg-gate-looks.ts'
import { createPgTraffic } from '../gate/pg-traffic.ts'
import { startWebhooks } from '../start-webhooks.ts'
import { criterionId, judgeWith } from './alias.fixture.ts'
import { createNotifyAlias, withAliasNotices } from './notify-alias.ts'
import { createPgAliasEvents } from './pg-alias-events.ts'
import { createPgAliases } from './pg-aliases.ts'
import { createPgPolicy } from './pg-policy.ts'
import type { VersionEvalCheck } from './version-checks.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as their readers would
type Json = any

export interface Answer {
  readonly status: number
  readonly body: Json
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

interface Sent {
  readonly body?: object
  readonly role?: Role
  /** Workspace id; that of the app by default. */
  readonly by?: string
  readonly ifMatch?: string
  /** Sends `If-None-Match: *`. */
  readonly isNew?: boolean
  /** Sent by a person who signed in instead of a key. */
  readonly session?: Identity['session']
}

export interface AliasApp {
  readonly workspaceId: string
  readonly userId: string
  /** With all rights. */
  readonly operator: Pool
  /** With the rights of alias. */
  readonly pool: Pool
  readonly clock: ReturnType<typeof fixedClock>
  /** The reply of judging; null for no such criterion, an error while judging is unavailable. */
  judge: GateJudge | null | Error
  /** Evidence of evals; an error while the eval service is unavailable. */
  evals: readonly object[] | Error
  /** Model versions of the workspace that the catalog has, by name; an error while training is unavailable. */
  versions: ReadonlyMap<string, VersionFacts> | Error
  /** What evals can prove of versions, by id; by default all that they show. */
  readonly checks: Map<string, VersionEvalCheck>
  /** Topics that open pages were notified of. */
  readonly topics: string[]
  send(method: 'get' | 'put' | 'post' | 'delete', path: string, sent?: Sent): Promise<Answer>
  put(body: object, sent?: Omit<Sent, 'body'>): Promise<Answer>
  drop(): Promise<void>
}

const chats = ['sim/large', 'sim/medium', 'sim/small']

const modelsWith = (own: () => readonly string[]): ModelCatalog => ({
  async find(_identity, name) {
    if (name.startsWith('openai/'))
      throw new ServiceError('unknown_provider', 'No key for openai.', { param: 'judge_model' })
    const id = [...chats, 'sim/embed', ...own()].find((each) => each === name || each === `sim/${name}`)
    const capabilities = [id === 'sim/embed' ? 'embeddings' : 'chat']
    return id === undefined
      ? null
      : { id, isChat: id !== 'sim/embed', capabilities, inputPerMtok: 1, outputPerMtok: 1, maxOutputTokens: 16_384 }
  },
})

/** The catalog also has a model of a provider for which the workspace has no key. */
const modelsNamed = async (_identity: Identity, name: string) =>
  [...chats, 'openai/gpt-5'].filter((id) => id === name || id.endsWith(`/${name}`))

/** The whole API of aliases on its own database, with fakes of the services that it calls. */
export async function aliasApp(): Promise<AliasApp> {
  const database = await freshDatabase()
  const operator = connectPool({ databaseUrl: database.url, max: 2 })
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_alias', max: 8 })
  const clock = fixedClock()
  const { now } = clock
  const caller = testCaller({ audience: 'alias', now })
  const [workspaceId, userId] = [randomUUID(), randomUUID()]
  const values = [workspaceId, `w-${workspaceId}`]
  await operator.query(`INSERT INTO workspace (id, slug, name, created_at) VALUES ($1, $2, $2, now())`, values)
  const newId = () => uuidV7(now().getTime())
  const own: AliasApp = {
    workspaceId,
    userId,
    operator,
    pool,
    clock,
    judge: judgeWith(),
    evals: [],
    versions: new Map(),
    checks: new Map(),
    topics: [],
    async send(method, path, { body, role = 'admin', by = workspaceId, ifMatch, isNew = false, session } = {}) {
      const who = session === undefined ? { keyId: userId } : { keyId: null, session }
      const call = request(app)
        [method](path)
        .set({
          ...caller.headersFor(method, path, { workspaceId: by, userId, ...who, role }),
          ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
          ...(isNew ? { 'if-none-match': '*' } : {}),
        })
      return (await (body === undefined ? call : call.send(body))) as unknown as Answer
    },
    put: (body, sent = {}) => own.send('put', '/v1/aliases', { ...sent, body }),
    async drop() {
      await pool.end()
      await operator.end()
      await database.drop()
    },
  }
  const encryption = [{ id: 'k1', secret: randomBytes(32) }] as const
  const webhookSettings = {
    ENCRYPTION_KEYS: [...encryption],
    WEBHOOK_CUSTOM_HOSTS: true,
    WEBHOOK_ALLOWED_HOSTS: new Set<string>(),
    WEBHOOK_LOOPBACK_HTTP: false,
  }
  const clients = createWorkspaceClients(pool)
  const app = createApp({
    aliases: withAliasNotices(
      createPgAliases(pool),
      createNotifyAlias(async (_workspaceId, { topic }) => void own.topics.push(topic), now),
    ),
    events: createPgAliasEvents({ pool, clients }),
    canary: createPgCanary(pool),
    looks: createPgGateLooks(pool),
    traffic: createPgTraffic(pool),
    rules: { promoteAfterMs: 0, gradesPerArm: 50 },
    policyOf: createPgPolicy(pool),
    models: modelsWith(() => (own.versions instanceof Error ? [] : [...own.versions.keys()])),
    modelsNamed,
    findJudge: async (_identity, id) => (id === criterionId ? orThrow(own.judge) : null),
    versions: {
      factsOf: async (_identity, model) => orThrow(own.versions).get(model) ?? null,
      async check(_identity, { evalIds }) {
        const all = { trainedPrompts: 0, isIndependent: true }
        return new Map(evalIds.map((id) => [id, own.checks.get(id) ?? all]))
      },
    },
    eval: answering(() => ({ data: orThrow(own.evals) })),
    webhooks: startWebhooks(webhookSettings as never, { pool, clients, now, newId }),
    ...testAppDeps(now),
    identityKeys: [caller.key],
    now,
    newId,
    firstIdAt: (at: Date) => firstUuidV7At(at.getTime()),
  })
  return own
}

function orThrow<T>(answer: T | Error): T {
  if (answer instanceof Error) throw new FleetCallError(answer.message, { status: 0 })
  return answer
}

function answering(answer: () => object): Pick<FleetClient, 'call'> {
  return { call: async () => answer() as never }
}
