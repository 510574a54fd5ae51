import { randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { LogEntry } from '@ratchet/contracts/logs'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import type { NamedKey } from '@ratchet/service-kit/identity/identity'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { testApp } from '@ratchet/testing/service-app'
import request from 'supertest'
import { startToolApi, startToolCalls, type ToolsConfig } from '../start-tools.ts'
import { environmentToolRoutes } from './routes.ts'
import type { ToolCalls } from './tool-calls.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read bodies as clients would
type Json = any

export interface ToolApp {
  readonly pool: Pool
  /** Has all rights. */
  readonly operator: Pool
  readonly calls: ToolCalls
  readonly workspaceId: string
  /** What the log of the workspace has, the newest first. */
  readonly exchanges: Partial<LogEntry>[]
  send(
    method: 'get' | 'post' | 'patch' | 'delete',
    path: string,
    body?: object,
    by?: string,
  ): Promise<{ status: number; body: Json; text: string }>
  /** Posts with this `Idempotency-Key`. */
  postOnce(
    key: string,
    path: string,
    body: object,
  ): Promise<{ status: number; headers: Json; body: Json; text: string }>
  /** Creates a tool, and returns it. */
  create(body?: object): Promise<Json>
  /** The tools of runs in a process with another encryption key. */
  withKey(key: NamedKey): { readonly calls: ToolCalls }
  drop(): Promise<void>
}

/** The endpoints of tools and the tools of runs, on a database of their own. The log is a list in memory. */
export async function toolApp({ loopbackHttp = true } = {}): Promise<ToolApp> {
  const database = await freshDatabase()
  const pool = connectPool({ databaseUrl: database.url, role: 'ratchet_training', max: 8 })
  const operator = connectPool({ databaseUrl: database.url, max: 1 })
  const now = () => new Date()
  const config: ToolsConfig = {
    ENCRYPTION_KEYS: [{ id: 'k1', secret: randomBytes(32) }],
    WEBHOOK_CUSTOM_HOSTS: true,
    WEBHOOK_ALLOWED_HOSTS: new Set(),
    WEBHOOK_LOOPBACK_HTTP: loopbackHttp,
  }
  const exchanges: Partial<LogEntry>[] = []
  const logging = {
    call: (async (_: unknown, { query }: { readonly query: { readonly after?: string; readonly limit: number } }) => {
      const from = query.after === undefined ? 0 : exchanges.findIndex(({ id }) => id === query.after) + 1
      const data = exchanges.slice(from, from + query.limit)
      return { data, has_more: from + data.length < exchanges.length }
    }) as Json,
  }
  const deps = startToolApi(config, { pool, now, newId: randomUUID, logging })
  const { app, headersFor } = testApp({
    audience: 'training',
    now,
    routes: (router) => environmentToolRoutes(router, deps),
  })
  const workspaceId = randomUUID()
  const send: ToolApp['send'] = async (method, path, body, by = workspaceId) => {
    const sent = request(app)
      [method](path)
      .set(headersFor(method, path, by))
    return body === undefined ? sent : sent.send(body)
  }
  return {
    pool,
    operator,
    calls: startToolCalls(config, { pool, now }),
    workspaceId,
    exchanges,
    send,
    postOnce: async (key, path, body) =>
      request(app)
        .post(path)
        .set({ ...headersFor('post', path, workspaceId), 'Idempotency-Key': key })
        .send(body),
    async create(body = staticTool()) {
      const created = await send('post', '/v1/environment_tools', body)
      if (created.status !== 201) throw new Error(created.text)
      return created.body
    },
    withKey: (key) => ({ calls: startToolCalls({ ...config, ENCRYPTION_KEYS: [key] }, { pool, now }) }),
    async drop() {
      await Promise.all([pool.end(), operator.end()])
      await database.drop()
    },
  }
}

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
let named = 0

/** A tool that answers by its arguments. */
export function staticTool(more: object = {}): object {
  named += 1
  const cases = [{ when: { properties: { city: { const: 'Rome' } } }, result: { degrees: 21 } }]
  return { name: `weather_${named}`, description: 'Weather.', parameters, kind: 'static', static: { cases }, ...more }
}

/** A tool at an address. */
export function httpTool(url: string, more: object = {}, http: object = {}): object {
  named += 1
  return { name: `search_${named}`, description: 'Search.', parameters, kind: 'http', http: { url, ...http }, ...more }
}

export interface Receiver {
  readonly url: string
  readonly received: { readonly headers: IncomingMessage['headers']; readonly body: Json }[]
  close(): void
}

/** Something at a loopback address that answers calls. */
export async function receiver(answer: (response: ServerResponse, body: Json) => void): Promise<Receiver> {
  const received: { readonly headers: IncomingMessage['headers']; readonly body: Json }[] = []
  const server = createServer((incoming, response) => {
    void text(incoming).then((sent) => {
      const body = JSON.parse(sent)
      received.push({ headers: incoming.headers, body })
      answer(response, body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, received, close: () => void server.close().closeAllConnections() }
}
