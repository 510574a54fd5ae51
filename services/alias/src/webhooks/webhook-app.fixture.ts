import { randomBytes, randomUUID } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import type { WebhookEventType } from '@ratchet/contracts/webhooks'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { createDrain } from '@ratchet/service-kit/drain'
import { createHttpApp } from '@ratchet/service-kit/http-app'
import { signIdentity } from '@ratchet/service-kit/identity'
import { uuidV7 } from '@ratchet/service-kit/ids'
import { requireIdentity } from '@ratchet/service-kit/require-identity'
import { createSecretBox, type SecretBox } from '@ratchet/service-kit/secret-box'
import { createProcessMetrics } from '@ratchet/telemetry/metrics'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { silentLogger } from '@ratchet/testing/silent-logger'
import type { Express } from 'express'
import request from 'supertest'
import { createPgDeliveries } from './pg-deliveries.ts'
import { createPgWebhooks } from './pg-webhooks.ts'
import { webhookRoutes } from './routes.ts'

// biome-ignore lint/suspicious/noExplicitAny: bodies are read as their readers would
type Json = any

export interface Answer {
  readonly status: number
  readonly body: Json
  readonly text: string
}

type Method = 'get' | 'post' | 'patch' | 'delete'

export type Ask = (method: Method, path: string, body?: object) => Promise<Answer>

export interface WebhookApp {
  readonly workspaceId: string
  /** With the rights of alias. */
  readonly pool: Pool
  /** With all rights. */
  readonly operator: Pool
  readonly secrets: SecretBox
  /** A request of the workspace. */
  readonly ask: Ask
  /** One of another workspace. */
  askBy(workspaceId: string): Ask
  /** Makes a webhook that hears of everything that is named. */
  addWebhook(url: string, more?: object, workspaceId?: string): Promise<Json>
  /** Has the workspace's webhooks told of an event, and answers its id. */
  report(more?: { readonly type?: WebhookEventType; readonly id?: string; readonly by?: string }): Promise<string>
  stop(): Promise<void>
}

/** Any public address, and http to this machine. */
export const testRules = { customHosts: true, allowedHosts: new Set<string>(), loopbackHttp: true }

/** The routes of webhooks over a database of their own. */
export async function startWebhookApp(): Promise<WebhookApp> {
  const database = await freshDatabase()
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_alias', max: 6 })
  const operator = connectPool({ databaseUrl: database.url, max: 2 })
  const secrets = createSecretBox({ keys: [{ id: 'k1', secret: randomBytes(32) }], randomBytes })
  const askBy = asking(pool, secrets)
  const workspaceId = randomUUID()
  return {
    workspaceId,
    pool,
    operator,
    secrets,
    askBy,
    ask: askBy(workspaceId),
    async addWebhook(url, more = {}, by = workspaceId) {
      const { status, body, text } = await askBy(by)('post', '/v1/webhooks', { url, events: ['eval.done'], ...more })
      if (status !== 201) throw new Error(`no webhook was created: ${text}`)
      return body
    },
    async report({ type = 'eval.done', id = randomUUID(), by = workspaceId } = {}) {
      const event = { id, type, timestamp: '2026-11-21T12:00:00.000Z', data: { name: 'Größe' } }
      const { status, text } = await askBy(by)('post', '/internal/webhooks/events', event)
      if (status !== 200) throw new Error(`nobody was told: ${text}`)
      return id
    },
    async stop() {
      for (const each of [pool, operator]) await each.end()
      await database.drop()
    },
  }
}

function asking(pool: Pool, secrets: SecretBox): (workspaceId: string) => Ask {
  const now = () => new Date()
  const key = { id: 'k1', secret: randomBytes(32) }
  const app: Express = createHttpApp({
    logger: silentLogger,
    metrics: createProcessMetrics('test'),
    serveMetrics: false,
    requestId: () => 'r1',
    health: { drain: createDrain(), checks: {}, now },
    routes: (router) => {
      router.use(requireIdentity({ audience: 'alias', keys: [key], now, logger: silentLogger }))
      webhookRoutes(router, {
        webhooks: createPgWebhooks(pool),
        deliveries: createPgDeliveries(pool),
        secrets,
        randomBytes,
        now,
        webhookRules: testRules,
        newId: () => uuidV7(now().getTime()),
      })
    },
  })
  return (by) => async (method, path, body) => {
    const bound = { audience: 'alias', requestId: 'r1', method: method.toUpperCase(), path }
    const signed = signIdentity(key, bound, { workspaceId: by, userId: by, keyId: by, role: 'owner' }, now().getTime())
    const sent = request(app)
      [method](path)
      .set({ [requestIdHeader]: 'r1', [identityHeader]: signed })
    return body === undefined ? sent : sent.send(body)
  }
}
