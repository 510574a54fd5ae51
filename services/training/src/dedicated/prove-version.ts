import type { EngineClient } from '../engines/engine-client.ts'
import { askProbes, type LoadDeps, type Proof, proveAdapter } from '../pool/load-adapter.ts'
import type { PoolPlace, PoolStore, VersionToLoad } from '../pool/pool-store.ts'
import { engineName } from './engine-name.ts'
import type { HostedReplica } from './replica-store.ts'

export interface ProveDeps extends Pick<LoadDeps, 'engines' | 'readArtifact' | 'probes' | 'maxProbeTokens'> {
  readonly store: Pick<PoolStore, 'learn'> & {
    /** Its files, and what its trainer says. Null when it does not exist any more. */
    versionOf(version: PoolPlace['version']): Promise<Pick<VersionToLoad, 'files' | 'expected'> | null>
  }
  readonly clientOf: (address: string) => EngineClient
}

/** Loads the version of a replica into its engine, and compares its answers with those of its trainer. */
export type Prove = (replica: HostedReplica, address: string) => Promise<Proof | null>

/**
 * A proof takes longer than others should wait for their turn: it goes on in the background, and is asked for again.
 *
 * @returns null while it runs; rejects once when it could not be made, and is made again then
 */
export function createProofs(deps: ProveDeps): Prove {
  const proofs = new Map<string, { result: Proof | null; error: unknown }>()
  return async (replica, address) => {
    const known = proofs.get(replica.id)
    if (known === undefined) {
      const proof: { result: Proof | null; error: unknown } = { result: null, error: null }
      proofs.set(replica.id, proof)
      void prove(deps, replica, address).then(
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
    proofs.delete(replica.id)
    if (known.error !== null) throw known.error
    return known.result
  }
}

async function prove(
  deps: ProveDeps,
  { id, workspaceId, baseModel, version }: HostedReplica,
  address: string,
): Promise<Proof> {
  if (version === null) return 'same'
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
