import path from 'node:path'
import { migratedDatabase, ownFolder, ownPostgres, ownRedis } from './faults/own-stores.ts'
import { type Fleet, startFleet } from './fleet.ts'

export interface FleetOnDisk {
  readonly fleet: Fleet
  /** Everything that the fleet and its stores write to disk. */
  readonly folder: string
  stop(): Promise<void>
}

/** Starts a fleet with separate stores, which have the settings of `npm start`. */
export async function startFleetOnDisk(env: Readonly<Record<string, string>>): Promise<FleetOnDisk> {
  const undo: (() => unknown)[] = []
  const onStop = (step: () => unknown) => void undo.push(step)
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    const folder = await ownFolder(onStop)
    const postgres = await ownPostgres(onStop, { folder: path.join(folder, 'postgres') })
    const redis = await ownRedis(onStop, { folder: path.join(folder, 'redis'), durable: true })
    const spillFolder = path.join(folder, 'spill')
    const stores = { databaseUrl: await migratedDatabase(postgres), redisUrl: redis.url, spillFolder }
    const fleet = await startFleet({ stores, logFolder: folder, env })
    onStop(() => fleet.stop())
    return { fleet, folder, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
