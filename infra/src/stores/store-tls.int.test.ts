import { rmSync } from 'node:fs'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { judgeQueue } from '@ratchet/contracts/queues'
import { connectPrisma } from '@ratchet/db/connect'
import { connectPool } from '@ratchet/db/connect-pool'
import { migrate } from '@ratchet/db/migrate'
import { createRedis } from '@ratchet/service-kit/process/create-redis'
import { runStops, type Stop } from '@ratchet/service-kit/process/run-process'
import { eventually } from '@ratchet/testing/eventually'
import { silentLogger } from '@ratchet/testing/silent-logger'
import { createJobQueue, startQueueWorker } from '@ratchet/work-kit/queue/queue'
import { makeTempFolder } from '../test/with-temp-folder.ts'
import { startTlsStores, type TlsStores } from './tls-stores.fixture.ts'

const folder = makeTempFolder()
const stops: Stop[] = []
const defaults = getCACertificates('default')
let stores: TlsStores

beforeAll(async () => {
  stores = await startTlsStores(folder)
}, 120_000)
afterEach(async () => {
  await runStops(stops.splice(0), silentLogger)
  setDefaultCACertificates(defaults)
})
afterAll(async () => {
  await stores?.stop()
  rmSync(folder, { recursive: true, force: true })
}, 60_000)

const onStop = (stop: Stop) => void stops.push(stop)
/** Trusts an authority as `NODE_EXTRA_CA_CERTS` does. */
const trust = () => setDefaultCACertificates([...defaults, stores.trusted.certificate])
const verified = (file: string) => `?sslmode=verify-full&sslrootcert=${encodeURIComponent(file)}`

describe('Postgres', () => {
  const isEncrypted = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'

  function poolOf(databaseUrl: string) {
    const pool = connectPool({ databaseUrl, max: 1, connectTimeoutMs: 10_000 })
    onStop(() => pool.end())
    return pool
  }

  it('is used encrypted by pools, Prisma and migrations, with a certificate authority in the address', async () => {
    const url = stores.databaseUrl + verified(stores.trustedFile)
    expect((await poolOf(url).query(isEncrypted)).rows).toEqual([{ ssl: true }])
    expect((await migrate(url)).length).toBeGreaterThan(10)
    const prisma = connectPrisma({ databaseUrl: url, max: 1 })
    onStop(() => prisma.$disconnect())
    expect(await prisma.workspace.count()).toBe(0)
  }, 60_000)

  it('is verified with the authorities of the process too', async () => {
    const url = `${stores.databaseUrl}?sslmode=verify-full`
    await expect(poolOf(url).query('SELECT 1')).rejects.toMatchObject({ code: untrusted })
    trust()
    expect((await poolOf(url).query(isEncrypted)).rows).toEqual([{ ssl: true }])
  })

  it('is refused with a certificate of another authority', async () => {
    const url = stores.databaseUrl + verified(stores.otherFile)
    await expect(poolOf(url).query('SELECT 1')).rejects.toMatchObject({ code: untrusted })
    await expect(migrate(url)).rejects.toMatchObject({ code: untrusted })
  })

  it('is refused under a name that its certificate does not have', async () => {
    const url = stores.databaseUrl.replace('127.0.0.1', 'localhost') + verified(stores.trustedFile)
    await expect(poolOf(url).query('SELECT 1')).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' })
  })
})

describe('Redis', () => {
  const timeouts = { commandTimeoutMs: 5_000, connectTimeoutMs: 5_000, waitsForConnection: true }

  it('is used encrypted by connections and queues', async () => {
    trust()
    const url = stores.redisUrl
    expect(await createRedis({ url, ...timeouts, onStop, onError: () => undefined }).ping()).toBe('PONG')
    const handled: string[] = []
    const queue = { redisUrl: url, onStop, onError: () => undefined }
    const handle = async ({ judgementId }: { judgementId: string }) => void handled.push(judgementId)
    startQueueWorker(judgeQueue, handle, { ...queue, concurrency: 1, onProgress: () => undefined })
    const judgementId = '0195a2b0-0000-7000-8000-000000000001'
    const jobs = createJobQueue(judgeQueue, queue)
    await eventually(() => jobs.enqueue([{ payload: { judgementId }, key: judgementId }]))
    await eventually(() => expect(handled).toEqual([judgementId]))
  }, 60_000)

  it('is refused by connections and workers while its certificate is not trusted', async () => {
    const url = stores.redisUrl
    const codes = [new Set<unknown>(), new Set<unknown>()] as const
    const noteIn = (seen: Set<unknown>) => (error: unknown) => void seen.add((error as { code?: string }).code)
    createRedis({ url, ...timeouts, onStop, onError: noteIn(codes[0]) })
    const worker = { redisUrl: url, onStop, concurrency: 1, onProgress: () => undefined, onError: noteIn(codes[1]) }
    startQueueWorker(judgeQueue, async () => undefined, worker)
    const expected = new Set(['SELF_SIGNED_CERT_IN_CHAIN'])
    await eventually(() => expect(codes).toEqual([expected, expected]), { withinMs: 45_000 })
    // A worker that never connected cannot be closed.
    trust()
    await eventually(() => createRedis({ url, ...timeouts, onStop, onError: () => undefined }).ping())
  }, 60_000)

  it('is refused under a name that its certificate does not have', async () => {
    trust()
    const codes = new Set<unknown>()
    const onError = (error: unknown) => void codes.add((error as { code?: string }).code)
    createRedis({ url: stores.redisUrl.replace('127.0.0.1', 'localhost'), ...timeouts, onStop, onError })
    await eventually(() => expect(codes).toEqual(new Set(['ERR_TLS_CERT_ALTNAME_INVALID'])))
  })

  it('accepts nothing that is not encrypted', async () => {
    const url = stores.redisUrl.replace('rediss:', 'redis:')
    const redis = createRedis({ url, ...timeouts, onStop, onError: () => undefined })
    await expect(redis.ping()).rejects.toThrow()
  })
})

/** The authority that issued the certificate is unknown. */
const untrusted = 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'
