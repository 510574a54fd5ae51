import type { DedicatedAdapter } from '@ratchet/contracts/dedicated-body'
import type { Identity } from '@ratchet/contracts/identity'
import { invalidRequest, ServiceError } from '@ratchet/service-kit/http/service-error'
import type { z } from 'zod'
import { adapterName } from '../engines/engines.ts'
import type { StoredVersion } from '../versions/model-version.ts'
import { requireVersion } from '../versions/require-version.ts'
import type { VersionStore } from '../versions/version-store.ts'
import type { DedicatedEndpoint, EndpointAdapter } from './endpoint.ts'
import { routingKey } from './routing-key.ts'

export interface AdapterDeps {
  readonly versions: Pick<VersionStore, 'get'>
  readonly randomBytes: (length: number) => Uint8Array
}

interface Asked {
  readonly asked: readonly z.output<typeof DedicatedAdapter>[]
  readonly identity: Identity
  /** What the endpoint is, and the adapters that it has until now. */
  readonly endpoint: Pick<DedicatedEndpoint, 'baseModel' | 'version' | 'maxAdapters' | 'adapters'>
}

/**
 * The adapters that an endpoint will have. A version that it has already keeps its routing key, unless another one is asked for.
 *
 * @throws ServiceError 400 for too many and for a version that cannot be served, `incompatible_adapter` for one of another base,
 *   and `not_found`
 */
export async function chooseAdapters(
  deps: AdapterDeps,
  { asked, identity, endpoint }: Asked,
): Promise<readonly EndpointAdapter[]> {
  const { maxAdapters, adapters: present } = endpoint
  if (asked.length > maxAdapters) {
    throw invalidRequest('adapters', `An endpoint on this \`hardware\` has at most ${maxAdapters} adapters.`)
  }
  const chosen: EndpointAdapter[] = []
  for (const [index, { modelVersionId, routingKey: key }] of asked.entries()) {
    const param = `adapters.${index}.modelVersionId`
    const version = await requireVersion(deps.versions, identity, modelVersionId, param)
    requireFit(version, endpoint)
    const before = present.find(({ id }) => id === version.id)
    const made = () => routingKey(version.name.split(':').at(-2) ?? '', deps.randomBytes(4))
    chosen.push({
      id: version.id,
      adapter: adapterName(version.id, version.sha256),
      routingKey: key ?? before?.routingKey ?? made(),
    })
  }
  return chosen
}

function requireFit(version: StoredVersion, { baseModel, version: own }: Asked['endpoint']): void {
  const { id, name, adapterRank, status } = version
  if (adapterRank === null || status === 'rejected' || status === 'archived') {
    const message = 'Only versions with an adapter that are neither rejected nor archived can be served.'
    throw invalidRequest('adapters', message)
  }
  if (version.baseModel !== baseModel) {
    const message = `${name} is an adapter of ${version.baseModel}, and the endpoint serves ${baseModel}.`
    throw new ServiceError('incompatible_adapter', message, { param: 'adapters' })
  }
  if (id === own?.id) throw invalidRequest('adapters', 'The endpoint serves that version under its own name.')
}
