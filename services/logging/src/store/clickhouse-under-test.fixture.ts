import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { logDatabase } from '../exchanges/log-database.fixture.ts'
import { wholeExchange } from '../exchanges/logged-exchanges.fixture.ts'
import { inlineSkeletons } from '../segments/inline-skeletons.fixture.ts'
import { type ClickHouse, connectClickHouse } from './clickhouse-client.ts'
import { createClickHouseExchangeStore } from './clickhouse-exchange-store.ts'
import { insertExchanges } from './clickhouse-writes.ts'
import { createPgStoreUpkeep } from './pg-store-upkeep.ts'
import { databaseSteps, type StoreUnderTest } from './store-under-test.fixture.ts'

export interface ChdbServer {
  readonly url: string
  stop(): Promise<void>
}

/** Starts ClickHouse's engine in a process of its own. */
export async function startChdb(): Promise<ChdbServer> {
  const program = path.join(import.meta.dirname, 'chdb-server.fixture.ts')
  const child = fork(program, [await installChdb()], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const [output] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer]
  return {
    url: `http://127.0.0.1:${Number(output)}/log`,
    async stop() {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}

const version = '3.4.0'

/**
 * Installs the engine once, outside of the workspace's packages: it has half a gigabyte, and only these tests need it.
 *
 * @returns its folder
 */
async function installChdb(): Promise<string> {
  const cache = path.resolve(import.meta.dirname, '../../../../node_modules/.cache/ratchet-tests')
  const folder = path.join(cache, `chdb-${version}`)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const fresh = await mkdtemp(`${folder}-`)
  await writeFile(path.join(fresh, 'package.json'), '{"private":true}')
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  await promisify(execFile)('npm', ['install', ...flags, `chdb@${version}`], { cwd: fresh })
  // Another test may have installed it meanwhile.
  await rename(fresh, folder).catch(() => rm(fresh, { recursive: true }))
  return folder
}

export async function clickHouseUnderTest(): Promise<StoreUnderTest & { readonly clickHouse: ClickHouse }> {
  const server = await startChdb()
  const database = await logDatabase()
  const { pool } = database
  const clickHouse = connectClickHouse(server.url)
  const now = () => new Date()
  const upkeep = createPgStoreUpkeep({ writes: pool, reads: pool, skeletons: inlineSkeletons })
  return {
    ...databaseSteps(database),
    clickHouse,
    store: createClickHouseExchangeStore({ clickHouse, upkeep, now }),
    async put({ workspaceId, at }, fields) {
      const exchanges = fields.map((each) => wholeExchange(workspaceId, at, each))
      await insertExchanges(clickHouse, exchanges, now())
      return exchanges.map(({ id }) => id)
    },
    async clear() {
      await clickHouse.change('TRUNCATE TABLE exchange')
    },
    async countStored(workspaceId) {
      const text = 'SELECT count(DISTINCT request_id) AS stored FROM exchange WHERE workspace_id = {workspaceId:UUID}'
      const [row] = await clickHouse.read<{ stored: string }>(text, { workspaceId })
      return Number(row?.stored)
    },
    async drop() {
      await clickHouse.close()
      await server.stop()
      await database.drop()
    },
  }
}
