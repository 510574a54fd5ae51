import { randomBytes, randomUUID } from 'node:crypto'
import { identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { loadConfig } from '@ratchet/service-kit/process/config'
import { runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { signAsCaller } from '@ratchet/testing/sign-as-caller'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { LoggingConfig, startLogging } from './start.ts'

export interface RequestChoices {
  readonly method?: string
  readonly path: string
  /** Sent unchanged; an object is sent as JSON. */
  readonly body?: string | Uint8Array | FormData | object | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly workspaceId?: string
}

/** The log's API on a port, over a database of its own. */
export interface LoggingService {
  readonly workspaceId: string
  readonly databaseUrl: string
  /** Connected with all rights. */
  readonly operator: Pool
  /** A request of a workspace's owner, as the edge would send it, or a service that may. */
  send(choices: RequestChoices): Promise<Response>
  addWorkspace(settings?: { readonly isLogging?: boolean; readonly retentionDays?: number }): Promise<string>
  stop(): Promise<void>
}

export async function startLoggingService(env: Readonly<Record<string, string>> = {}): Promise<LoggingService> {
  const database = await freshDatabase()
  const operator = connectPool({ databaseUrl: database.url, max: 2 })
  const key = { id: 'k1', secret: randomBytes(32) }
  const stops: Stop[] = []
  const keys = `k1:${key.secret.toString('base64')}`
  const config = loadConfig(LoggingConfig, {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: database.url,
    // No Redis is there: nothing waits for notices of open pages.
    REDIS_URL: 'redis://127.0.0.1:9',
    DRAIN_DELAY_MS: '0',
    DRAIN_TIMEOUT_MS: '1000',
    IDENTITY_KEYS: keys,
    // No service listens there, so calls to them fail.
    JUDGING_URL: 'http://127.0.0.1:9',
    JUDGING_KEYS: keys,
    EVAL_URL: 'http://127.0.0.1:9',
    EVAL_KEYS: keys,
    ALIAS_URL: 'http://127.0.0.1:9',
    ALIAS_KEYS: keys,
    TRAINING_URL: 'http://127.0.0.1:9',
    TRAINING_KEYS: keys,
    ...env,
  })
  const lifecycle = { onStop: (stop: Stop) => void stops.push(stop), hurry: new AbortController().signal }
  const port = await startLogging(config, silentLogger, lifecycle)
  const addWorkspace: LoggingService['addWorkspace'] = async ({ isLogging = true, retentionDays = 30 } = {}) => {
    const id = randomUUID()
    await operator.query("INSERT INTO workspace VALUES ($1, $2, 'W', now())", [id, `w-${id}`])
    const settings =
      'INSERT INTO workspace_settings (workspace_id, logging_enabled, retention_days) VALUES ($1, $2, $3)'
    await operator.query(settings, [id, isLogging, retentionDays])
    return id
  }
  const workspaceId = await addWorkspace()
  return {
    workspaceId,
    databaseUrl: database.url,
    operator,
    addWorkspace,
    send({ method = 'GET', path, body, headers = {}, workspaceId: by = workspaceId }) {
      const requestId = randomUUID()
      const bound = { audience: 'logging', requestId, method, path }
      const identity = { workspaceId: by, userId: by, keyId: by, role: 'owner' } as const
      const vouched = { [requestIdHeader]: requestId, [identityHeader]: signAsCaller(key, bound, identity, Date.now()) }
      const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData
      const type = body === undefined || isRaw ? {} : { 'content-type': 'application/json' }
      const sent = body === undefined ? {} : { body: (isRaw ? body : JSON.stringify(body)) as string | FormData }
      return fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { ...type, ...headers, ...vouched }, ...sent })
    },
    async stop() {
      await runStops(stops, silentLogger)
      await operator.end()
      await database.drop()
    },
  }
}

export interface Refusal {
  readonly status: number
  readonly code: string
  readonly param: string | null
  readonly message: string
}

/** The error of a refused request. @throws Error when the request succeeds */
export async function refusalOf(service: LoggingService, choices: RequestChoices): Promise<Refusal> {
  const answer = await service.send(choices)
  const { error } = (await answer.json()) as { error?: Omit<Refusal, 'status'> }
  if (error === undefined) throw new Error(`the request succeeded: ${choices.method ?? 'GET'} ${choices.path}`)
  const { code, param, message } = error
  return { status: answer.status, code, param, message }
}
