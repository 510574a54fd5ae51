import type { Proof } from '../pool/load-adapter.ts'
import type { EndpointAdapter } from './endpoint.ts'
import { engineName } from './engine-name.ts'
import type { ReconcileEnginesDeps } from './reconcile-deps.ts'
import type { HostedReplica, LoadedAdapter } from './replica-store.ts'

/** What a version did not do that it has to before requests get there. */
export const proofProblems: Readonly<Record<Exclude<Proof, 'same'>, string>> = {
  base: 'Its engine answered as the base model, without the adapter of the version.',
  different: 'Its engine answered otherwise than the trainer of the version.',
  gone: 'Its model version does not exist any more.',
}

/** Requests that were sent before their adapter was taken away have arrived after this, milliseconds. */
const drainMs = 5_000
/** An adapter that was refused is tried again after this, milliseconds. */
const retryMs = 60_000

/**
 * Loads and proves the adapters of an endpoint in the engine of a replica, one after the other, and unloads those that it has no
 * more. One that is wrong gets no requests, and the others do.
 *
 * @returns whether each was proven or refused
 */
export async function decideAdapters(
  deps: ReconcileEnginesDeps,
  replica: HostedReplica,
  address: string,
): Promise<boolean> {
  await unloadLeaving(deps, replica, address)
  const loaded = new Map(replica.loaded.map((each) => [each.id, each]))
  const undecided = replica.adapters.filter(({ id }) => isUndecided(loaded.get(id)))
  const refused = replica.adapters.filter(({ id }) => isDueAgain(loaded.get(id)))
  const next = undecided[0] ?? refused[0]
  if (next === undefined) return true
  const decision = await decide(deps, { replica, adapter: next, address })
  if (decision === null) return undecided.length === 0
  await deps.replicas.adapterDecided(replica.id, next, decision.problem)
  return undecided.length <= 1
}

function isUndecided(loaded: LoadedAdapter | undefined): boolean {
  return loaded === undefined || loaded.state === 'leaving'
}

function isDueAgain(loaded: LoadedAdapter | undefined): boolean {
  return loaded !== undefined && loaded.state === 'failed' && loaded.forMs >= retryMs
}

interface Deciding {
  readonly replica: HostedReplica
  readonly adapter: EndpointAdapter
  readonly address: string
}

/** Null while it is being proven. */
async function decide(
  { prove, onEvent }: ReconcileEnginesDeps,
  { replica, adapter, address }: Deciding,
): Promise<{ readonly problem: string | null } | null> {
  const name = `dedicated/${adapter.routingKey}`
  try {
    const proof = await prove(replica, adapter, address)
    if (proof === null) return null
    return { problem: proof === 'same' ? null : `${name}: ${proofProblems[proof]}` }
  } catch (error) {
    onEvent({ kind: 'failed', replicaId: replica.id, error })
    return { problem: `${name}: Its engine could not load it.` }
  }
}

async function unloadLeaving(deps: ReconcileEnginesDeps, replica: HostedReplica, address: string): Promise<void> {
  const present = new Set(replica.adapters.map(({ id }) => id))
  const due = replica.loaded.filter(
    ({ id, state, forMs }) => state === 'leaving' && forMs >= drainMs && !present.has(id),
  )
  if (due.length === 0) return
  const client = deps.clientOf(address)
  const requests = await client.requests()
  for (const { id, adapter } of due) {
    if (requests !== null && (requests.running.has(adapter) || requests.waiting.has(adapter))) continue
    await client.unload(adapter)
    await deps.engines.discard(engineName(replica.id), adapter)
    await deps.replicas.adapterGone(replica.id, id)
  }
}

/**
 * Asks the engine of a replica every few seconds how full it is, and whether it still has what it has proven: one that was
 * restarted has nothing.
 *
 * @returns why the replica cannot go on; null when it can
 */
export async function lookInside(
  { replicas, clientOf, readCache }: ReconcileEnginesDeps,
  { id, version, loaded }: HostedReplica,
  address: string,
): Promise<string | null> {
  const cacheUsed = await readCache(id, address)
  if (cacheUsed === undefined) return null
  await replicas.cacheUsed(id, cacheUsed)
  const proven = loaded.filter(({ state }) => state === 'ready')
  if (version === null && proven.length === 0) return null
  const names = new Set(await clientOf(address).models())
  if (version !== null && !names.has(version.adapter)) return 'Its engine has lost the adapter of its version.'
  for (const { id: versionId, adapter } of proven) {
    if (!names.has(adapter)) await replicas.adapterLost(id, versionId)
  }
  return null
}
