import { randomBytes } from 'node:crypto'
import { capturesPath, capturesType, encodeCaptures } from '@ratchet/contracts/captured-exchange'
import { fleetIdentity, identityHeader, requestIdHeader } from '@ratchet/contracts/identity'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { type SigningKey, signIdentity } from '@ratchet/service-kit/identity/identity'
import { loadConfig } from '@ratchet/service-kit/process/config'
import { runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { type FreshDatabase, freshDatabase } from '@ratchet/testing/fresh-database'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { LoggingConfig, startLogging } from '../start.ts'
import { capturedExchange } from './captured.fixture.ts'

const key = { id: 'k1', secret: randomBytes(32) }
const stops: Stop[] = []
let database: FreshDatabase
let postgres: ChaosProxy
let operator: Pool
let url: string

beforeAll(async () => {
  database = await freshDatabase()
  postgres = await startChaosProxy({ targetPort: Number(new URL(database.url).port) })
  operator = connectPool({ databaseUrl: database.url, max: 1 })
  const databaseUrl = new URL(database.url)
  databaseUrl.host = `127.0.0.1:${postgres.port}`
  const keys = `k1:${key.secret.toString('base64')}`
  const config = loadConfig(LoggingConfig, {
    PORT: '0',
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl.href,
    // No Redis is there: nothing waits for notices of open pages.
    REDIS_URL: 'redis://127.0.0.1:9',
    DRAIN_DELAY_MS: '0',
    DRAIN_TIMEOUT_MS: '1000',
    IDENTITY_KEYS: keys,
    // No service listens there, because these tests do not request the setup status.
    JUDGING_URL: 'http://127.0.0.1:9',
    JUDGING_KEYS: keys,
    EVAL_URL: 'http://127.0.0.1:9',
    EVAL_KEYS: keys,
    ALIAS_URL: 'http://127.0.0.1:9',
    ALIAS_KEYS: keys,
    TRAINING_URL: 'http://127.0.0.1:9',
    TRAINING_KEYS: keys,
  })
  const lifecycle = { onStop: (stop: Stop) => void stops.push(stop), hurry: new AbortController().signal }
  url = `http://127.0.0.1:${await startLogging(config, silentLogger, lifecycle)}`
}, 60_000)

afterAll(async () => {
  await runStops(stops, silentLogger)
  await operator.end()
  await postgres.stop()
  await database.drop()
})

interface Sent {
  /** Absent: inference; null: no identity. */
  readonly signer?: SigningKey | null
  readonly type?: string
  readonly body?: Buffer
}

async function send({
  signer = keyOfCaller(key, 'inference'),
  type = capturesType,
  body = Buffer.alloc(0),
}: Sent): Promise<number> {
  const requestId = '00000000-0000-7000-8000-00000000000f'
  const bound = { audience: 'logging', requestId, method: 'POST', path: capturesPath }
  const headers = {
    'content-type': type,
    [requestIdHeader]: requestId,
    ...(signer === null ? {} : { [identityHeader]: signIdentity(signer, bound, fleetIdentity, Date.now()) }),
  }
  const response = await fetch(`${url}${capturesPath}`, { method: 'POST', headers, body: new Uint8Array(body) })
  await response.text()
  return response.status
}

async function countRows(): Promise<number> {
  const { rows } = await operator.query<{ count: number }>('SELECT count(*)::int AS count FROM exchange')
  return rows[0]?.count ?? 0
}

const exchanges = [1, 2, 3].map((index) => capturedExchange(index))

describe('POST /internal/captures', () => {
  it('stores exchanges that inference could not add to the stream, each once', async () => {
    expect(await send({ body: encodeCaptures(exchanges) })).toBe(204)
    expect(await send({ body: encodeCaptures(exchanges) })).toBe(204)
    expect(await countRows()).toBe(3)
  })

  it('accepts an exchange of maximum size', async () => {
    const content = 'a'.repeat(5 * 1024 * 1024)
    expect(await send({ body: encodeCaptures([capturedExchange(4, { message: { content } })]) })).toBe(204)
    expect(await countRows()).toBe(4)
  })

  it.each<[number, string, Sent]>([
    [401, 'no identity', { signer: null }],
    [403, 'the edge', { signer: key }],
    [403, 'another service', { signer: keyOfCaller(key, 'judging') }],
    [415, 'another type', { type: 'application/json' }],
    [400, 'half of it', { body: encodeCaptures(exchanges).subarray(0, 100) }],
  ])('answers %d to %s', async (status, _name, sent) => {
    expect(await send({ body: encodeCaptures(exchanges), ...sent })).toBe(status)
  })

  it('answers 503 while Postgres is unavailable, so that inference does not count it as stored', async () => {
    await postgres.refuse()
    const body = encodeCaptures([capturedExchange(9)])
    expect(await send({ body })).toBe(503)
    await postgres.restore()
    expect(await send({ body })).toBe(204)
  })
})
