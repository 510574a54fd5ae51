import type { EngineClient } from '../engines/engine-client.ts'
import { askProbes, type LoadDeps, type Proof, proveAdapter } from '../pool/load-adapter.ts'
import type { PoolPlace, PoolStore, VersionToLoad } from '../pool/pool-store.ts'
import type { ServedVersion } from './endpoint.ts'
import { engineName } from './engine-name.ts'
import type { HostedReplica } from './replica-store.ts'

export interface ProveDeps extends Pick<LoadDeps, 'engines' | 'readArtifact' | 'probes' | 'maxProbeTokens'> {
  readonly store: Pick<PoolStore, 'learn'> & {
    /** Its files, and what its trainer says. Null when it does not exist any more. */
    versionOf(version: PoolPlace['version']): Promise<Pick<VersionToLoad, 'files' | 'expected'> | null>
  }
  readonly clientOf: (address: string) => EngineClient
}

/** Loads a version into the engine of a replica, and compares its answers with those of its trainer. */
export type Prove = (
  replica: Pick<HostedReplica, 'id' | 'workspaceId' | 'baseModel'>,
  version: ServedVersion,
  address: string,
) => Promise<Proof | null>

/**
 * A proof takes longer than others should wait for their turn: it goes on in the background, and is asked for again.
 *
 * @returns null while it runs; rejects once when it could not be made, and is made again then
 */
export function createProofs(deps: ProveDeps): Prove {
  const proofs = new Map<string, { result: Proof | null; error: unknown }>()
  return async (replica, version, address) => {
    const key = `${replica.id} ${version.id}`
    const known = proofs.get(key)
    if (known === undefined) {
      const proof: { result: Proof | null; error: unknown } = { result: null, error: null }
      proofs.set(key, proof)
      void prove(deps, { replica, version, address }).then(
        (result) => {
          proof.result = result
        },
        (error: unknown) => {
          proof.error = error
        },
      )
      return null
    }
    if (known.result === null && known.error === null) return null
    proofs.delete(key)
    if (known.error !== null) throw known.error
    return known.result
  }
}

interface Proving {
  readonly replica: Pick<HostedReplica, 'id' | 'workspaceId' | 'baseModel'>
  readonly version: ServedVersion
  readonly address: string
}

async function prove(deps: ProveDeps, { replica, version, address }: Proving): Promise<Proof> {
  const { id, workspaceId, baseModel } = replica
  const client = deps.clientOf(address)
  const place = { replica: engineName(id), version: { id: version.id, workspaceId, adapter: version.adapter } }
  const base = await askProbes(deps, client, baseModel)
  const store: LoadDeps['store'] = {
    learn: deps.store.learn,
    async versionToLoad() {
      const found = await deps.store.versionOf(place.version)
      return found === null ? null : { ...found, base }
    },
  }
  return await proveAdapter({ ...deps, store }, place, client)
}
