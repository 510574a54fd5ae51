import { type ServiceName, serviceNames } from '@ratchet/contracts/endpoint'
import type { NamedKey } from '@ratchet/service-kit/identity/identity'
import { createDispatchForwarder } from './dispatch-forwarder.ts'
import { headBuilder } from './forwarded-head.ts'
import type { Forwarder, ForwarderOptions } from './forwarder.ts'
import { createManagementProxy } from './management-proxy.ts'

export type Forwarders = Readonly<Record<ServiceName, Forwarder>>

export interface ForwardersOptions extends Pick<ForwarderOptions, 'events' | 'drain' | 'now' | 'stalledClientMs'> {
  /** The keys that sign identities for the services are derived from it. */
  readonly masterKey: NamedKey
  readonly urls: Readonly<Record<ServiceName, string>>
}

/**
 * One forwarder for each service. Inference is on the hot path and gets the dispatch forwarder, which takes a third of
 * the time; the other services get http-proxy-middleware.
 */
export function createForwarders({ masterKey, urls, ...deps }: ForwardersOptions): Forwarders {
  const buildHead = headBuilder(masterKey, serviceNames)
  const optionsOf = (service: ServiceName): ForwarderOptions => {
    const { origin } = new URL(urls[service])
    return { ...deps, service, origin, buildHead }
  }
  return {
    inference: createDispatchForwarder(optionsOf('inference')),
    logging: createManagementProxy(optionsOf('logging')),
    judging: createManagementProxy(optionsOf('judging')),
    eval: createManagementProxy(optionsOf('eval')),
    alias: createManagementProxy(optionsOf('alias')),
  }
}

/** Closes the connections when running requests have ended. */
export async function closeForwarders(forwarders: Forwarders): Promise<void> {
  await Promise.all(Object.values(forwarders).map((forwarder) => forwarder.close()))
}
