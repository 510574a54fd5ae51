import { type ServiceName, serviceNames } from '@ratchet/contracts/endpoint'
import type { FramesAddress } from '@ratchet/service-kit/frames/frames-address'
import { deriveAudienceKey, type NamedKey } from '@ratchet/service-kit/identity/identity'
import { createDispatchForwarder } from './dispatch-forwarder.ts'
import { headBuilder } from './forwarded-head.ts'
import type { Forwarder, ForwarderOptions } from './forwarder.ts'
import type { FrameClientOptions } from './frames/frame-client.ts'
import { createManagementProxy } from './management-proxy.ts'

export type Forwarders = Readonly<Record<ServiceName, Forwarder>>

export interface ForwardersOptions extends Pick<ForwarderOptions, 'events' | 'drain' | 'now' | 'stalledClientMs'> {
  /** The keys that sign identities for the services are derived from it. */
  readonly masterKey: NamedKey
  readonly urls: Readonly<Record<ServiceName, string>>
  /** Where inference takes requests in frames; absent: over HTTP only. */
  readonly inferenceFrames?: FramesAddress | undefined
  /** Uniform in [0, 1). */
  readonly random: () => number
}

/**
 * One forwarder for each service. Inference is on the hot path and gets the dispatch forwarder, which takes a third of
 * the time; the other services get http-proxy-middleware.
 */
export function createForwarders({ masterKey, urls, inferenceFrames, random, ...deps }: ForwardersOptions): Forwarders {
  const buildHead = headBuilder(masterKey, serviceNames)
  const optionsOf = (service: ServiceName): ForwarderOptions => {
    const { origin } = new URL(urls[service])
    return { ...deps, service, origin, buildHead }
  }
  const framesTo = (service: ServiceName, address: FramesAddress): FrameClientOptions => ({
    address,
    key: { id: masterKey.id, secret: deriveAudienceKey(masterKey.secret, service) },
    onConnected: () => deps.events.framesConnected(service),
    onLost: (cause) => deps.events.framesLost(service, cause),
    random,
  })
  const frames = inferenceFrames === undefined ? null : framesTo('inference', inferenceFrames)
  return {
    inference: createDispatchForwarder({ ...optionsOf('inference'), frames }),
    logging: createManagementProxy(optionsOf('logging')),
    judging: createManagementProxy(optionsOf('judging')),
    eval: createManagementProxy(optionsOf('eval')),
    alias: createManagementProxy(optionsOf('alias')),
    training: createManagementProxy(optionsOf('training')),
    voice: createManagementProxy(optionsOf('voice')),
  }
}

/** Closes the connections when running requests have ended. */
export async function closeForwarders(forwarders: Forwarders): Promise<void> {
  await Promise.all(Object.values(forwarders).map((forwarder) => forwarder.close()))
}
