import { randomBytes, randomUUID } from 'node:crypto'
import type { WebhookEventType } from '@ratchet/contracts/webhooks'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { createWorkspaceClients } from '@ratchet/db/workspace-clients'
import { createSecretBox, type SecretBox } from '@ratchet/service-kit/identity/secret-box'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { testApp } from '@ratchet/testing/service-app'
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

export type Send = (method: Method, path: string, body?: object) => Promise<Answer>

export interface WebhookApp {
  readonly workspaceId: string
  /** Pool with the privileges of `ratchet_alias`. */
  readonly pool: Pool
  /** With all rights. */
  readonly operator: Pool
  readonly secrets: SecretBox
  /** Sends a request of the workspace. */
  readonly send: Send
  /** Sends a request of another workspace. */
  sendBy(workspaceId: string): Send
  /** Creates a webhook for `eval.done`. */
  addWebhook(url: string, more?: object, workspaceId?: string): Promise<Json>
  /** Publishes an event and resolves with its id. */
  publish(more?: { readonly type?: WebhookEventType; readonly id?: string; readonly by?: string }): Promise<string>
  stop(): Promise<void>
}

/** Allows every public address, and http to this machine. */
export const testRules = { customHosts: true, allowedHosts: new Set<string>(), loopbackHttp: true }

/** The routes of webhooks on their own database. */
export async function startWebhookApp(): Promise<WebhookApp> {
  const database = await freshDatabase()
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_alias', max: 6 })
  const operator = connectPool({ databaseUrl: database.url, max: 2 })
  const secrets = createSecretBox({ keys: [{ id: 'k1', secret: randomBytes(32) }], randomBytes })
  const sendBy = sender(pool, secrets)
  const workspaceId = randomUUID()
  return {
    workspaceId,
    pool,
    operator,
    secrets,
    sendBy,
    send: sendBy(workspaceId),
    async addWebhook(url, more = {}, by = workspaceId) {
      const { status, body, text } = await sendBy(by)('post', '/v1/webhooks', { url, events: ['eval.done'], ...more })
      if (status !== 201) throw new Error(`no webhook was created: ${text}`)
      return body
    },
    async publish({ type = 'eval.done', id = randomUUID(), by = workspaceId } = {}) {
      const event = { id, type, timestamp: '2026-11-21T12:00:00.000Z', data: { name: 'Größe' } }
      const { status, text } = await sendBy(by)('post', '/internal/webhooks/events', event)
      if (status !== 200) throw new Error(`the event was not accepted: ${text}`)
      return id
    },
    async stop() {
      for (const each of [pool, operator]) await each.end()
      await database.drop()
    },
  }
}

function sender(pool: Pool, secrets: SecretBox): (workspaceId: string) => Send {
  const now = () => new Date()
  const deps = {
    webhooks: createPgWebhooks({ pool, clients: createWorkspaceClients(pool) }),
    deliveries: createPgDeliveries(pool),
    secrets,
    randomBytes,
    now,
    webhookRules: testRules,
    newId: () => uuidV7(now().getTime()),
  }
  const { app, headersFor } = testApp({ audience: 'alias', now, routes: (router) => webhookRoutes(router, deps) })
  return (by) => async (method, path, body) => {
    const sent = request(app)
      [method](path)
      .set(headersFor(method, path, by))
    return body === undefined ? sent : sent.send(body)
  }
}
