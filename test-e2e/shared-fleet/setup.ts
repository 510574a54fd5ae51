import { provideStores, removeStores, stopAtSignals } from '@ratchet/infra/test/global-setup'
import { provideBundle } from '../bundle.ts'
import { type FleetHost, startFleetHost } from './fleet-host.ts'
import { hostVariable } from './shared-fleet.ts'

let host: FleetHost | undefined

/** Called by Jest before the first end-to-end file. Starts no fleet yet: the first file that shares one does. */
async function setup(): Promise<void> {
  stopAtSignals(stopHost)
  await provideStores()
  await provideBundle()
  host = await startFleetHost()
  process.env[hostVariable] = host.url
}

/** Stops the fleets, and then their stores. */
export async function stopHost(): Promise<void> {
  await host?.stop()
  await removeStores()
}

export { setup as 'module.exports' }
