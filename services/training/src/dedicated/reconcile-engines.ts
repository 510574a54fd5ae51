import type { StartedEngine } from '../engines/engines.ts'
import { engineName, enginePrefix } from './engine-name.ts'
import { decideAdapters, lookInside, proofProblems } from './reconcile-adapters.ts'
import type { ReconcileEnginesDeps } from './reconcile-deps.ts'
import type { HostedReplica } from './replica-store.ts'

/** Checks in a row after which an engine that does not answer is given up. */
const maxFailedChecks = 3
/** Time that an engine may take to answer, milliseconds. */
const maxStartMs = 1_800_000

/**
 * Compares engines with replicas: starts those that are missing, ends those that no replica has, and notes what state they
 * are in. A replica takes requests only after its engine has answered and names the model.
 *
 * @returns how many replicas, of all hosts, and engines there are; 0: nothing is to be done before a replica is added
 */
export async function reconcileEngines(deps: ReconcileEnginesDeps): Promise<number> {
  const { engines, replicas, host, slots, onEvent } = deps
  const running = await replicas.claim(host, slots)
  // The list is read first: an engine that is started in between has a row already.
  const listed = (await engines.list()).filter(({ name }) => name.startsWith(enginePrefix))
  const started = new Map(listed.map((engine) => [engine.name, engine]))
  const hosted = running === 0 ? [] : await replicas.hosted(host)
  const needed = new Set(hosted.map(({ id }) => engineName(id)))
  const others = listed.filter(({ name }) => !needed.has(name))
  const known = others.length === 0 ? new Set() : await replicas.known(others.map(({ name }) => idOf(name)))
  await Promise.all([
    ...others.map((engine) =>
      attempt(onEvent, null, () => end(deps, engine, { isKnown: known.has(idOf(engine.name)) })),
    ),
    ...hosted.map((replica) =>
      attempt(onEvent, replica.id, () => follow(deps, replica, started.get(engineName(replica.id)))),
    ),
  ])
  return running + listed.length
}

async function attempt(
  onEvent: ReconcileEnginesDeps['onEvent'],
  replicaId: string | null,
  work: () => Promise<void>,
): Promise<void> {
  await work().catch((error: unknown) => onEvent({ kind: 'failed', replicaId, error }))
}

function idOf(engine: string): string {
  return engine.slice(enginePrefix.length)
}

async function end(
  { engines, onEvent }: ReconcileEnginesDeps,
  { name, state }: StartedEngine,
  { isKnown }: { readonly isKnown: boolean },
): Promise<void> {
  if (state === 'exited') return await engines.forget(name)
  // One whose replica has ended has no requests any more.
  if (!isKnown) onEvent({ kind: 'orphan_stopped', engine: name })
  await engines.stop(name, 'now')
  await engines.forget(name)
}

async function follow(
  deps: ReconcileEnginesDeps,
  replica: HostedReplica,
  engine: StartedEngine | undefined,
): Promise<void> {
  if (engine === undefined) return await startOrEnd(deps, replica)
  if (engine.state === 'exited') {
    await fail(deps, replica, 'Its engine exited.')
    return await deps.engines.forget(engine.name)
  }
  if (engine.state === 'running' && engine.address !== null) return await check(deps, replica, engine.address)
  if (replica.startedForMs > maxStartMs && replica.state !== 'ready') {
    return await fail(deps, replica, 'Its engine did not start within half an hour.')
  }
  await deps.replicas.seen(replica.id, { isStarting: engine.state !== 'waiting' })
}

/** An engine is started once. One that is gone later does not come back: another replica takes its place. */
async function startOrEnd(deps: ReconcileEnginesDeps, replica: HostedReplica): Promise<void> {
  if (replica.state !== 'waiting') return await fail(deps, replica, 'Its engine is gone.')
  const { engines, replicas, sourceOf } = deps
  const modelSource = await sourceOf(replica)
  if (modelSource === null) return await fail(deps, replica, 'The catalog does not have its model any more.')
  const { baseModel, hardware, maxContextLength, precision } = replica
  const name = engineName(replica.id)
  const maxAdapters = replica.maxAdapters + (replica.version === null ? 0 : 1)
  await engines.start({ name, baseModel, modelSource, hardware, maxContextLength, maxAdapters, precision })
  await replicas.seen(replica.id, { isStarting: false })
}

async function check(deps: ReconcileEnginesDeps, replica: HostedReplica, address: string): Promise<void> {
  const { replicas, clientOf } = deps
  const client = clientOf(address)
  if (await client.isHealthy()) {
    const isNew = replica.state === 'waiting' || replica.state === 'starting'
    if (isNew && !(await client.models()).includes(replica.baseModel)) {
      return await fail(deps, replica, 'Its engine serves another model.')
    }
    const proof = isNew && replica.version !== null ? await deps.prove(replica, replica.version, address) : 'same'
    if (proof !== null && proof !== 'same') return await fail(deps, replica, proofProblems[proof])
    const isDecided = proof === 'same' && replica.state !== 'draining' && (await decideAdapters(deps, replica, address))
    if (isNew && isDecided) return await replicas.ready(replica.id, address)
    const problem = replica.state === 'ready' ? await lookInside(deps, replica, address) : null
    if (problem !== null) return await fail(deps, replica, problem)
    return await replicas.seen(replica.id, { isStarting: true })
  }
  if (replica.state === 'ready' || replica.state === 'draining') {
    if (replica.failedChecks + 1 >= maxFailedChecks) return await fail(deps, replica, 'Its engine does not answer.')
    return await replicas.failedCheck(replica.id)
  }
  if (replica.startedForMs > maxStartMs) {
    return await fail(deps, replica, 'Its engine did not answer within half an hour.')
  }
  await replicas.seen(replica.id, { isStarting: true })
}

async function fail(
  { replicas, onEvent }: ReconcileEnginesDeps,
  replica: HostedReplica,
  reason: string,
): Promise<void> {
  onEvent({ kind: 'replica_failed', replicaId: replica.id, reason })
  const hasFailed = replica.state === 'waiting' || replica.state === 'starting'
  await replicas.end(replica.id, { reason, hasFailed })
}
