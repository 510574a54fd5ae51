import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startSimulatedProvider } from '@ratchet/simulated-provider/start-simulated-provider'
import { type ChaosProxy, startChaosProxy } from '@ratchet/testing/chaos-proxy'
import { freshDatabase } from '@ratchet/testing/fresh-database'
import { freshRedis } from '@ratchet/testing/fresh-redis'

/** The stores of a fleet. */
export interface FleetStores {
  /** A migrated database. */
  readonly databaseUrl: string
  /** An empty Redis. */
  readonly redisUrl: string
  /** Folder for what inference writes to disk; a temporary one by default. */
  readonly spillFolder?: string
}

/** Starts the stores, proxies and provider that the processes use. */
export async function layGround(stores: FleetStores | undefined, onStop: (step: () => Promise<unknown>) => void) {
  const database = stores === undefined ? await freshDatabase() : { url: stores.databaseUrl, drop: async () => {} }
  onStop(() => database.drop())
  const spillFolder = stores?.spillFolder ?? (await mkdtemp(path.join(tmpdir(), 'ratchet-e2e-')))
  onStop(() => rm(spillFolder, { recursive: true, force: true }))
  const provider = await startSimulatedProvider()
  onStop(() => provider.stop())
  const [postgres, databaseUrl] = await proxied(database.url, onStop)
  // Not shared with other fleets: the worker of logging takes all entries of the stream.
  const ownRedis = stores === undefined ? await freshRedis() : { url: stores.redisUrl, drop: async () => {} }
  onStop(() => ownRedis.drop())
  const [redis, redisUrl] = await proxied(ownRedis.url, onStop)
  return { database, databaseUrl, ownRedis, redisUrl, postgres, redis, provider, spillFolder }
}

async function proxied(
  url: string,
  onStop: (step: () => Promise<unknown>) => void,
): Promise<readonly [ChaosProxy, string]> {
  const target = new URL(url)
  const proxy = await startChaosProxy({ targetHost: target.hostname, targetPort: Number(target.port) })
  onStop(() => proxy.stop())
  target.hostname = '127.0.0.1'
  target.port = String(proxy.port)
  return [proxy, target.href]
}
