import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type CallableEndpoint,
  type CallFailure,
  createEndpointClient,
  type EndpointInput,
  type EndpointReply,
} from '@ratchet/contracts/client/endpoint-client'
import { setUp } from '@ratchet/contracts/dashboard/account'
import { acceptInvitation, createInvitation } from '@ratchet/contracts/dashboard/members'
import { type Identity, identityHeader, type Role, requestIdHeader } from '@ratchet/contracts/identity'
import { connectPrisma } from '@ratchet/db/connect'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { createSetUpLink } from '@ratchet/db/one-time-links'
import { keysOfCaller, type NamedKey, verifyIdentity } from '@ratchet/service-kit/identity/identity'
import { loadConfig } from '@ratchet/service-kit/process/config'
import { runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { freshRedis } from '@ratchet/testing/fresh-redis'
import { recordingLogger } from '@ratchet/testing/recording-logger'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { DashboardConfig, startDashboard } from './start.ts'

/* The dashboard as a process starts it, with a real Postgres and Redis, and a scripted edge. */

export const password = 'correct horse battery'

/** What the scripted edge received, with the identity that it verified. */
export interface EdgeCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly identity: Identity | null
}

export type EdgeScript = (request: IncomingMessage, response: ServerResponse, call: EdgeCall) => void

export interface TestDashboard {
  /** The origin that browsers believe to be at. */
  readonly origin: string
  /** Where it listens. */
  readonly url: string
  /** The superuser's connections. */
  readonly pool: Pool
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly encryptionKey: NamedKey
  /** Inference's own key, from which the dashboard's is derived. */
  readonly inferenceKey: NamedKey
  readonly edgeCalls: readonly EdgeCall[]
  readonly logLines: ReturnType<typeof recordingLogger>['lines']
  edge(script: EdgeScript): void
  /** A browser without a session. */
  browser(): TestBrowser
  setUpToken(): Promise<string>
  /** A browser of an owner, who set up a workspace with this address. */
  owner(slug: string): Promise<TestBrowser>
  /** A browser of somebody whom an owner invited. */
  member(
    owner: TestBrowser,
    slug: string,
    rights: { readonly role: Role; readonly may_grade?: boolean },
  ): Promise<TestBrowser>
  stop(): Promise<void>
}

export interface DashboardOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly origin?: string
}

export async function startTestDashboard({
  env = {},
  origin = 'http://localhost:3000',
}: DashboardOptions = {}): Promise<TestDashboard> {
  const database = await freshDatabase()
  const redis = await freshRedis()
  const pool = connectPool({ databaseUrl: database.url, max: 4 })
  const operator = connectPrisma({ databaseUrl: database.url, max: 1 })
  const edgeKey = { id: 'e1', secret: randomBytes(32) }
  const encryptionKey = { id: 'c1', secret: randomBytes(32) }
  const edge = await startScriptedEdge(edgeKey)
  const [signing] = keysOfCaller([edgeKey], 'dashboard')
  const inferenceKey = { id: 'i1', secret: randomBytes(32) }
  const [signingForInference] = keysOfCaller([inferenceKey], 'dashboard')
  const config = loadConfig(DashboardConfig, {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    SESSION_DOOR_URL: edge.url,
    EDGE_KEYS: `dashboard.${signing.id}:${signing.secret.toString('base64')}`,
    // Nothing listens there, unless a test says another address.
    INFERENCE_URL: 'http://127.0.0.1:1',
    INFERENCE_KEYS: `dashboard.${signingForInference.id}:${signingForInference.secret.toString('base64')}`,
    DASHBOARD_ORIGIN: origin,
    AUTH_SECRET: randomBytes(32).toString('hex'),
    ENCRYPTION_KEYS: `${encryptionKey.id}:${encryptionKey.secret.toString('base64')}`,
    DRAIN_DELAY_MS: '0',
    DRAIN_TIMEOUT_MS: '2000',
    ...env,
  })
  const stops: Stop[] = []
  const { logger, lines } = recordingLogger()
  const lifecycle = { onStop: (stop: Stop) => void stops.push(stop), hurry: new AbortController().signal }
  const url = `http://127.0.0.1:${await startDashboard(config, logger, lifecycle)}`
  const browser = () => createBrowser(url, origin)
  const setUpToken = async () => {
    const token = randomBytes(32).toString('base64url')
    await createSetUpLink(operator, { id: uuidV7(Date.now()), token, at: new Date(), origin })
    return token
  }
  return {
    origin,
    url,
    pool,
    databaseUrl: database.url,
    redisUrl: redis.url,
    encryptionKey,
    inferenceKey,
    edgeCalls: edge.calls,
    logLines: lines,
    edge: edge.script,
    browser,
    setUpToken,
    async owner(slug) {
      const person = { email: `owner@${slug}.example`, name: `Owner of ${slug}`, password }
      const opened = browser()
      await opened.call(setUp, { body: { token: await setUpToken(), ...person, workspace: { slug, name: slug } } })
      return opened
    },
    async member(owner, slug, rights) {
      const email = `${randomBytes(4).toString('hex')}@${slug}.example`
      const { link } = await owner.call(createInvitation, { params: { slug }, body: { email, ...rights } })
      if (link === null) throw new Error('the invitation was mailed')
      const opened = browser()
      await opened.call(acceptInvitation, { body: { token: link.split('/').at(-1) ?? '', name: 'Ann', password } })
      return opened
    },
    async stop() {
      await runStops(stops, silentLogger)
      await Promise.all([edge.stop(), pool.end(), operator.$disconnect()])
      await Promise.all([database.drop(), redis.drop()])
    },
  }
}

async function startScriptedEdge(key: NamedKey) {
  const calls: EdgeCall[] = []
  let script: EdgeScript = (_request, response) => response.end('{}')
  const server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request
    const bound = { audience: 'edge', requestId: String(headers[requestIdHeader]), method, path }
    const verified = verifyIdentity([key], bound, String(headers[identityHeader]), Date.now())
    const call = { method, path, headers, identity: verified?.caller === 'dashboard' ? verified.identity : null }
    calls.push(call)
    script(request, response, call)
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    script(next: EdgeScript) {
      script = next
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** An error that the dashboard answered. */
export class Refused extends Error {
  readonly status: number
  readonly code: string | null
  constructor(failure: CallFailure) {
    super(JSON.stringify(failure))
    this.status = failure.status
    this.code = failure.kind === 'refused' ? failure.error.code : null
  }
}

export interface TestBrowser {
  /** The cookies, as they are sent. */
  readonly cookie: string
  /** Calls an endpoint as the pages do. Rejects with {@link Refused}. */
  call<E extends CallableEndpoint>(endpoint: E, input?: EndpointInput<E>): Promise<EndpointReply<E>['value']>
  /** Sends a request with the cookies of this browser. */
  send(path: string, options?: RequestInit): Promise<Response>
}

function createBrowser(url: string, origin: string): TestBrowser {
  const cookies = new Map<string, string>()
  const cookieHeader = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const send = async (path: string, { headers = {}, ...options }: RequestInit = {}) => {
    const own = { origin, ...(cookies.size === 0 ? {} : { cookie: cookieHeader() }) }
    const answer = await fetch(`${url}${path}`, { redirect: 'manual', ...options, headers: { ...own, ...headers } })
    for (const each of answer.headers.getSetCookie()) {
      const [pair = ''] = each.split(';')
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      if (value === '' || /max-age=0/i.test(each)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return answer
  }
  const client = createEndpointClient<null>({
    async send({ method, path, headers, body }) {
      const answer = await send(path, { method, headers, ...(body === undefined ? {} : { body }) })
      return { status: answer.status, body: await answer.text() }
    },
    errorOf: (failure) => new Refused(failure),
  })
  return {
    get cookie() {
      return cookieHeader()
    },
    call: async (endpoint, input = {}) => (await client.call(endpoint, input, null)).value,
    send,
  }
}
