import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { connectPool } from '@ratchet/db/connect-pool'
import { topUp } from '@ratchet/db/top-up'
import { connectService } from '@ratchet/service-kit/fleet/connect-service'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { eventually } from '@ratchet/testing/eventually'
import { freshRedis } from '@ratchet/testing/fresh-redis'
import { keyOfCaller } from '@ratchet/testing/sign-as-caller'
import { createHttpJobMoney } from './http-job-money.ts'

const main = path.join(import.meta.dirname, '../../../inference/src/main.ts')

/** The service inference as a process of its own, with the ledger of a database. */
export interface LedgerProcess {
  readonly url: string
  /** With which its callers sign. */
  readonly key: { readonly id: string; readonly secret: Buffer }
  /** The money of training in it, over HTTP. */
  readonly money: ReturnType<typeof createHttpJobMoney>
  /** What no hold covered. */
  readonly uncovered: bigint[]
  /** Gives a workspace a wallet with this much credit. */
  addWallet(workspaceId: string, amountNano: bigint): Promise<void>
  stop(): Promise<void>
}

/** @param env settings beside those that it needs */
export async function startLedgerProcess(
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<LedgerProcess> {
  const [redis, folder, port] = await Promise.all([
    freshRedis(),
    mkdtemp(path.join(tmpdir(), 'ledger-')),
    anyFreePort(),
  ])
  const key = { id: 'k1', secret: randomBytes(32) }
  const anyKey = () => `k1:${randomBytes(32).toString('base64')}`
  const url = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, [main], {
    env: {
      PORT: String(port),
      HOST: '127.0.0.1',
      LOG_LEVEL: 'error',
      DATABASE_URL: databaseUrl,
      DATABASE_SILENCE_MS: '10000',
      REDIS_URL: redis.url,
      SPILL_DIR: folder,
      IDENTITY_KEYS: `k1:${key.secret.toString('base64')}`,
      ENCRYPTION_KEYS: anyKey(),
      // Nobody is there.
      LOGGING_URL: 'http://127.0.0.1:9',
      LOGGING_KEYS: anyKey(),
      ALIAS_URL: 'http://127.0.0.1:9',
      ALIAS_KEYS: anyKey(),
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const isReady = async () => expect((await fetch(`${url}/readyz`)).status).toBe(200)
  await eventually(isReady, { withinMs: 45_000 })
  const operator = connectPool({ databaseUrl, max: 1 })
  const closing: (() => unknown)[] = []
  const inference = connectService(
    { audience: 'inference', url, keys: [keyOfCaller(key, 'training')], connections: 8 },
    { now: () => new Date(), onStop: (stop) => closing.push(stop) },
  )
  const uncovered: bigint[] = []
  const money = createHttpJobMoney({
    inference,
    delay: async () => undefined,
    random: () => 0,
    onUncovered: (_hold, nano) => uncovered.push(nano),
  })
  return {
    url,
    key,
    money,
    uncovered,
    async addWallet(workspaceId, amountNano) {
      await operator.query('INSERT INTO workspace VALUES ($1::uuid, $1::text, $1::text, now())', [workspaceId])
      await topUp(operator, { workspaceId, amountNano, reference: workspaceId })
    },
    async stop() {
      for (const close of closing) await close()
      await operator.end()
      await end(child)
      await Promise.all([redis.drop(), rm(folder, { recursive: true, force: true })])
    },
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await exited
}
