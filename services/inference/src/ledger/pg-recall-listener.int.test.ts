import { randomUUID } from 'node:crypto'
import { connectPool, type Pool } from '@ratchet/db/connect-pool'
import { startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { eventually } from '@ratchet/testing/eventually'
import { type LedgerDatabase, ledgerDatabase } from './ledger-database.fixture.ts'
import { createPgRecalls } from './pg-escrow-store.ts'
import { listenForRecalls } from './pg-recall-listener.ts'

let database: LedgerDatabase
beforeAll(async () => {
  database = await ledgerDatabase()
})
afterAll(() => database.drop())

function listen({ pool = database.pool }: { pool?: Pool } = {}) {
  const heard: string[] = []
  const errors: unknown[] = []
  let times = 0
  const stop = listenForRecalls({
    pool,
    onRecall: (workspaceId) => heard.push(workspaceId),
    onListening: () => {
      times += 1
    },
    onError: (error) => errors.push(error),
    pauseMs: 10,
    checkEveryMs: 20,
    checkTimeoutMs: 100,
  })
  return { heard, errors, stop, isListening: (since: number) => eventually(() => times > since) }
}

it('hears the recall of a wallet, again after its connection broke, and stops', async () => {
  const { heard, errors, stop, isListening } = listen()
  await isListening(0)
  const { recall } = createPgRecalls({ pool: database.pool })
  const [first, second] = [await database.newWallet(1n), await database.newWallet(1n)]
  await recall(first)
  await eventually(() => expect(heard).toEqual([first]))
  await database.operator.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query IN ('LISTEN ledger_recall', 'SELECT 1') AND datname = current_database()",
  )
  await isListening(1)
  expect(errors).toHaveLength(1)
  await recall(second)
  await eventually(() => expect(heard).toEqual([first, second]))
  await recall(randomUUID()) // no wallet: nobody is asked
  await stop()
  expect(heard).toEqual([first, second])
})

it('listens again when its connection is lost without an end', async () => {
  const url = new URL(database.url)
  const proxy = await startChaosProxy({ targetPort: Number(url.port), targetHost: url.hostname })
  url.host = `127.0.0.1:${proxy.port}`
  const pool = connectPool({ databaseUrl: url.href, role: 'ratchet_inference', connectTimeoutMs: 200 })
  const { errors, stop, isListening } = listen({ pool })
  await isListening(0)
  proxy.freeze()
  await eventually(() => expect(errors).not.toEqual([]))
  proxy.thaw()
  await isListening(1)
  await stop()
  await pool.end()
  await proxy.stop()
})

it('stops at once, also before it has connected', async () => {
  await listen().stop()
})
