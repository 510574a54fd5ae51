import { rmSync } from 'node:fs'
import { findSharedStores } from './shared-stores.ts'
import { startTestStores, type TestStores } from './test-stores.ts'
import { makeTempFolder } from './with-temp-folder.ts'

let own: { readonly stores: TestStores; readonly folder: string } | null = null

/**
 * Provides a Postgres and a Redis before the first test that needs them. It takes the servers that the environment
 * names, else those of `npm run stores`, else it starts some for this run alone.
 */
export async function provideStores(): Promise<void> {
  const given = ['TEST_DATABASE_URL', 'TEST_REDIS_URL'].filter((name) => (process.env[name] ?? '') !== '')
  if (given.length === 1) throw new Error(`Only ${given[0]} is set; set both or none of the addresses of the stores.`)
  if (given.length === 2) return
  Object.assign(process.env, (await findSharedStores()) ?? (await startOwn()))
}

/** Called by Jest after the last test. */
export async function removeStores(): Promise<void> {
  const started = own
  own = null
  if (started === null) return
  await started.stores.stop()
  rmSync(started.folder, { recursive: true, force: true })
}

async function startOwn(): Promise<TestStores['env']> {
  const folder = makeTempFolder()
  const stores = await startTestStores({ folder, say: (text) => process.stderr.write(`${text}\n`) })
  own = { stores, folder }
  return stores.env
}

/** At a stop signal, stops what the setup started before Jest exits. A second signal ends it at once. */
export function stopAtSignals(stop: () => Promise<void>): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stop().finally(() => process.exit(1)))
  }
}

async function setup(): Promise<void> {
  stopAtSignals(removeStores)
  await provideStores()
}

export { setup as 'module.exports' }
