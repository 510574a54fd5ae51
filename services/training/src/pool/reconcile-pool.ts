import { createHash } from 'node:crypto'
import type { EngineClient } from '../engines/engine-client.ts'
import type { StartedEngine } from '../engines/engines.ts'
import { askProbes, type Proof, proveAdapter } from './load-adapter.ts'
import { planPool } from './plan-pool.ts'
import { type PoolReplica, poolPrefix } from './pool.ts'
import type { PoolPlace } from './pool-store.ts'
import type { PoolDeps, PoolWork } from './pool-work.ts'

const leaseMs = 30_000
/** How often an engine that answers is asked whether it still does, and what it has loaded. */
const checkMs = 5_000
/** How long requests may still arrive that were sent before their engine gave a version up. */
const drainMs = 5_000
/**
 * How long an engine may take until it answers, and one that says that it runs may fail to answer: then its machine is lost, and
 * another engine takes its place.
 */
const maxSilenceMs = { starting: 1_800_000, running: 60_000 }
/** Adapters that an engine loads at a time. */
const maxLoads = 4

/** @returns the name of an engine of the pool */
export function replicaName(baseModel: string, index: number): string {
  return `${poolPrefix}${createHash('sha256').update(baseModel).digest('hex').slice(0, 10)}-${index}`
}

export function createPoolWork(deps: PoolDeps): PoolWork {
  return new Reconciling(deps)
}

class Reconciling implements PoolWork {
  readonly #deps: PoolDeps
  readonly #clients = new Map<string, EngineClient>()
  /** When an engine was last asked, by name. */
  readonly #checkedAt = new Map<string, number>()
  /** Since when an engine in a state does not answer, by name. */
  readonly #silent = new Map<string, { readonly state: StartedEngine['state']; readonly sinceMs: number }>()
  /** What takes longer than a pass. */
  readonly #running = new Map<string, Promise<void>>()
  #changes = 0
  #isManaging = false

  constructor(deps: PoolDeps) {
    this.#deps = deps
  }

  async pass(): Promise<number> {
    const { store, worker, engines } = this.#deps
    this.#changes = 0
    if (!(await store.takeLease(worker, leaseMs))) {
      this.#isManaging = false
      await this.#stopOwn()
      return 0
    }
    this.#isManaging = true
    await store.keepBases(
      this.#deps.bases.map(({ baseModel }) => baseModel),
      noEngines,
    )
    const started = new Map((await engines.list()).map((engine) => [engine.name, engine]))
    await this.#compareEngines(started)
    const { replicas } = await store.read()
    await Promise.all(replicas.map((replica) => this.#check(replica, started.get(replica.name))))
    await this.#move()
    return this.#changes
  }

  async stop(): Promise<void> {
    await this.#stopOwn()
    await Promise.all(this.#running.values())
    await Promise.all([...this.#clients.values()].map((client) => client.close()))
    await this.#deps.store.releaseLease(this.#deps.worker)
  }

  /** Engines that only this process sees end with its lease. */
  async #stopOwn(): Promise<void> {
    const { engines, store } = this.#deps
    if (!engines.endsWithWorker) return
    for (const { name } of await engines.list()) {
      if (!name.startsWith(poolPrefix)) continue
      // Requests go elsewhere first, if rows are still this worker's.
      if (this.#isManaging) await store.loseReplica(name)
      await engines.stop(name, 'now')
      await engines.forget(name)
    }
  }

  async #compareEngines(started: Map<string, StartedEngine>): Promise<void> {
    const { engines, store, bases } = this.#deps
    const { replicas } = await store.read()
    const desired = new Map(
      bases.flatMap(({ baseModel, replicas: count }) =>
        Array.from({ length: count }, (_, index) => [replicaName(baseModel, index), baseModel] as const),
      ),
    )
    for (const { name, state } of [...started.values()]) {
      if (!name.startsWith(poolPrefix)) started.delete(name)
      else if (!desired.has(name)) {
        started.delete(name)
        this.#endOrphan(name)
      } else if (state === 'exited') {
        started.delete(name)
        await this.#lose({ name })
        await engines.forget(name)
      }
    }
    for (const { name } of replicas) if (!desired.has(name)) await store.removeReplica(name)
    for (const [name, baseModel] of desired) {
      const replica = replicas.find((each) => each.name === name)
      if (replica === undefined) await store.addReplica({ name, baseModel })
      if (started.has(name)) continue
      if (replica?.state === 'ready') await store.loseReplica(name)
      this.#changes += 1
      this.#silent.delete(name)
      await engines.start({
        ...(await this.#deps.orderOf(baseModel)),
        name,
        baseModel,
        maxAdapters: this.#deps.maxAdapters,
      })
    }
  }

  /** Its requests may end, which takes longer than a pass. */
  #endOrphan(name: string): void {
    this.#inBackground(name, async () => {
      this.#deps.onEvent({ kind: 'orphan_stopped', replica: name })
      await this.#deps.engines.stop(name, 'gracefully')
      await this.#deps.engines.forget(name)
    })
  }

  async #check(replica: PoolReplica, started: StartedEngine | undefined): Promise<void> {
    const { store, now, onEvent } = this.#deps
    const { name } = replica
    const address = started?.state === 'running' ? started.address : null
    if (replica.state === 'ready') {
      this.#silent.delete(name)
      if (address !== replica.address || address === null) return await this.#lose(replica)
      if (now().getTime() - (this.#checkedAt.get(name) ?? 0) < checkMs) return
      this.#checkedAt.set(name, now().getTime())
      await this.#compareLoaded(replica, address).catch((error: unknown) => this.#lose(replica, error))
    } else if (started !== undefined && started.state !== 'waiting') {
      // Its answers may take a while, and others are not kept waiting.
      this.#inBackground(name, async () => {
        const client = address === null ? null : this.#client(address)
        if (client === null || address === null || !(await client.isHealthy())) return await this.#bear(started)
        await store.startReplica(name, address, await askProbes(this.#deps, client, replica.baseModel))
        onEvent({ kind: 'replica_ready', replica: name })
      })
    }
  }

  /** Replaces an engine that does not answer for too long. */
  async #bear({ name, state }: StartedEngine): Promise<void> {
    const { engines, now, onEvent } = this.#deps
    const before = this.#silent.get(name)
    const sinceMs = before?.state === state ? before.sinceMs : now().getTime()
    this.#silent.set(name, { state, sinceMs })
    if (now().getTime() - sinceMs < (state === 'running' ? maxSilenceMs.running : maxSilenceMs.starting)) return
    this.#silent.delete(name)
    onEvent({ kind: 'replica_replaced', replica: name })
    await engines.stop(name, 'now')
    await engines.forget(name)
  }

  async #lose({ name }: Pick<PoolReplica, 'name'>, error?: unknown): Promise<void> {
    this.#deps.onEvent({ kind: 'replica_lost', replica: name, error })
    this.#changes += 1
    await this.#deps.store.loseReplica(name)
  }

  async #compareLoaded(replica: PoolReplica, address: string): Promise<void> {
    const client = this.#client(address)
    if (!(await client.isHealthy())) return await this.#lose(replica)
    const loaded = new Set(await client.models())
    for (const { versionId: id, workspaceId, adapter, state } of replica.adapters) {
      // An engine that was restarted has nothing any more.
      if (state === 'ready' && !loaded.has(adapter)) {
        await this.#deps.store.load({ replica: replica.name, version: { id, workspaceId, adapter } })
        this.#changes += 1
      }
      loaded.delete(adapter)
    }
    for (const name of loaded) {
      if (!name.startsWith('mv_')) continue
      await client.unload(name)
      await this.#deps.engines.discard(replica.name, name)
    }
  }

  /** Runs something once at a time under a name; the next pass looks at what came of it. */
  #inBackground(name: string, work: () => Promise<void>): void {
    if (this.#running.has(name)) return
    const task = work()
      .catch((error: unknown) => this.#deps.onEvent({ kind: 'failed', replica: name.split(' ')[0] ?? name, error }))
      .finally(() => {
        this.#running.delete(name)
        this.#deps.onChange()
      })
    this.#running.set(name, task)
  }

  #client(address: string): EngineClient {
    const client = this.#clients.get(address) ?? this.#deps.clientOf(address)
    this.#clients.set(address, client)
    return client
  }

  async #move(): Promise<void> {
    const { store, maxAdapters, copies, now, bases } = this.#deps
    const { replicas, versions } = await store.read()
    for (const { baseModel } of bases) {
      const ready = replicas.filter((replica) => replica.baseModel === baseModel && replica.state === 'ready')
      const own = versions.filter((version) => version.baseModel === baseModel)
      const plan = planPool({ replicas: ready, versions: own, maxAdapters, copies, now: now() })
      for (const place of plan.returns) await store.bringBack(place)
      for (const place of plan.leaves) await store.leave(place)
      for (const place of plan.loads) await store.load(place)
      this.#changes += plan.returns.length + plan.leaves.length + plan.loads.length
      const planned =
        plan.loads.length === 0 ? ready : (await store.read()).replicas.filter(({ state }) => state === 'ready')
      for (const replica of planned.filter((each) => each.baseModel === baseModel)) {
        this.#startLoads(replica)
        await this.#unload(replica)
      }
    }
  }

  #startLoads({ name: replica, address, adapters }: PoolReplica): void {
    if (address === null) return
    const taskOf = (versionId: string) => `${replica} ${versionId}`
    const running = adapters.filter(({ versionId }) => this.#running.has(taskOf(versionId))).length
    const waiting = adapters.filter(
      ({ versionId, state }) => state === 'loading' && !this.#running.has(taskOf(versionId)),
    )
    for (const { versionId: id, workspaceId, adapter } of waiting.slice(0, Math.max(0, maxLoads - running))) {
      const version = { id, workspaceId, adapter }
      this.#inBackground(taskOf(id), () => this.#load({ replica, version }, address))
    }
  }

  async #load(place: PoolPlace, address: string): Promise<void> {
    const { store, onEvent } = this.#deps
    const event = { replica: place.replica, version: place.version.id }
    try {
      const proof = await proveAdapter(this.#deps, place, this.#client(address))
      onEvent({ ...event, kind: proof === 'same' ? 'loaded' : 'rejected' })
      if (proof === 'same') await store.prove(place, address)
      else await store.fail(place, problems[proof])
    } catch (error) {
      onEvent({ ...event, kind: 'failed', error })
      // When the database cannot be written, the next pass finds the row as it was.
      await store.fail(place, notLoaded).catch(() => {})
    }
  }

  async #unload({ name: replica, address, adapters }: PoolReplica): Promise<void> {
    const { store, engines, now, onEvent } = this.#deps
    const due = adapters.filter(
      ({ state, since }) => state === 'leaving' && now().getTime() - since.getTime() >= drainMs,
    )
    if (due.length === 0 || address === null) return
    try {
      const client = this.#client(address)
      const requests = await client.requests()
      for (const { versionId: id, workspaceId, adapter, since } of due) {
        if (isBusy(requests, adapter, now().getTime() - since.getTime())) continue
        await client.unload(adapter)
        await engines.discard(replica, adapter)
        await store.unloaded({ replica, version: { id, workspaceId, adapter } })
        this.#changes += 1
        onEvent({ kind: 'unloaded', replica, version: id })
      }
    } catch (error) {
      onEvent({ kind: 'failed', replica, error })
    }
  }
}

/** The longest that a request takes in an engine that does not say what it answers. */
const longestRequestMs = 3_600_000

function isBusy(requests: Awaited<ReturnType<EngineClient['requests']>>, adapter: string, leavingMs: number): boolean {
  if (requests === null) return leavingMs < longestRequestMs
  return requests.running.has(adapter) || requests.waiting.has(adapter)
}

const noEngines = 'No engine of this installation serves adapters of its base any more.'
const notLoaded = 'An engine could not load it.'
const problems: Readonly<Record<Exclude<Proof, 'same'>, string>> = {
  base: 'An engine that loaded it answers as its base model.',
  different: 'An engine that loaded it answers otherwise than its trainer.',
  gone: 'Its files are not there any more.',
}
