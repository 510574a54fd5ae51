import type { PoolAdapter, PoolReplica, PoolVersion } from './pool.ts'

export interface PlannedPool {
  /** Of one base, those that answer. */
  readonly replicas: readonly PoolReplica[]
  readonly versions: readonly PoolVersion[]
  /** Adapters that an engine can have. */
  readonly maxAdapters: number
  /** Engines that should have a version, where there is room. */
  readonly copies: number
  readonly now: Date
}

export interface PoolMove {
  readonly replica: string
  readonly version: PoolVersion
}

export interface PoolPlan {
  readonly loads: readonly PoolMove[]
  /** Versions that get no requests there any more, and are unloaded when those that run have ended. */
  readonly leaves: readonly PoolMove[]
  /** Versions that are asked for again before they were unloaded. */
  readonly returns: readonly PoolMove[]
}

/** A version that was asked for in this time is not taken from an engine, milliseconds: its requests may just have arrived. */
const inUseMs = 10_000
/** A version that was asked for in this time and is nowhere has a client that waits for it. */
const urgentMs = 60_000
/** An engine that could not load a version, or answered wrongly for it, is tried again after this. */
const retryMs = 60_000

/**
 * What the engines of a base should load and give up. Each version has one engine before any has a second. Engines keep what
 * they have until another version is asked for and there is no room: then the one that was asked for longest ago leaves, first
 * where another engine has it too. A place of each engine stays free, so that a version that is asked for is loaded at once.
 */
export function planPool(pool: PlannedPool): PoolPlan {
  const planning = new Planning(pool)
  const newest = [...pool.versions].sort((one, other) => other.usedAt.getTime() - one.usedAt.getTime())
  planning.forgetUnserved()
  for (const version of newest) planning.bringBack(version)
  for (const version of newest) planning.giveFirst(version)
  for (let copies = 2; copies <= Math.min(pool.copies, pool.replicas.length); copies += 1) {
    for (const version of newest) planning.giveMore(version, copies)
  }
  planning.freeReserves()
  return planning.plan
}

interface Place {
  readonly replica: PoolReplica
  /** By version. */
  readonly adapters: Map<string, PoolAdapter['state']>
  free: number
}

class Planning {
  readonly #pool: PlannedPool
  readonly #places: readonly Place[]
  readonly #versions: ReadonlyMap<string, PoolVersion>
  /** Engines that have a version and do not give it up. */
  readonly #having = new Map<string, Place[]>()
  readonly #reserve: number
  readonly plan = { loads: [] as PoolMove[], leaves: [] as PoolMove[], returns: [] as PoolMove[] }

  constructor(pool: PlannedPool) {
    const { replicas, versions, maxAdapters } = pool
    this.#pool = pool
    this.#reserve = maxAdapters > 1 ? 1 : 0
    this.#versions = new Map(versions.map((version) => [version.id, version]))
    this.#places = replicas.map((replica) => {
      const counted = replica.adapters.filter(({ state }) => state !== 'failed').length
      const adapters = new Map(replica.adapters.flatMap((adapter) => this.#kept(adapter)))
      return { replica, adapters, free: maxAdapters - counted }
    })
    for (const place of this.#places) {
      for (const [id, state] of place.adapters)
        if (state === 'loading' || state === 'ready') this.#holders(id).push(place)
    }
  }

  /** A failure counts for a while. */
  #kept({ versionId, state, since }: PoolAdapter): readonly (readonly [string, PoolAdapter['state']])[] {
    const isOver = state === 'failed' && this.#ageMs(since) >= retryMs
    return isOver ? [] : [[versionId, state]]
  }

  #ageMs(since: Date): number {
    return this.#pool.now.getTime() - since.getTime()
  }

  #holders(id: string): Place[] {
    const found = this.#having.get(id) ?? []
    this.#having.set(id, found)
    return found
  }

  /** What the pool does not serve any more leaves. */
  forgetUnserved(): void {
    for (const { replica } of this.#places) {
      for (const { versionId, workspaceId, adapter, state, since } of replica.adapters) {
        if (this.#versions.has(versionId) || state === 'leaving') continue
        const version = { id: versionId, workspaceId, adapter, baseModel: replica.baseModel, usedAt: since }
        this.plan.leaves.push({ replica: replica.name, version })
      }
    }
  }

  bringBack(version: PoolVersion): void {
    if (this.#ageMs(version.usedAt) >= inUseMs || this.#holders(version.id).length > 0) return
    const place = this.#places.find(({ adapters }) => adapters.get(version.id) === 'leaving')
    if (place === undefined) return
    place.adapters.set(version.id, 'ready')
    this.#holders(version.id).push(place)
    this.plan.returns.push({ replica: place.replica.name, version })
  }

  giveFirst(version: PoolVersion): void {
    if (this.#holders(version.id).length > 0) return
    const isUrgent = this.#ageMs(version.usedAt) < urgentMs
    if (this.#load(version, isUrgent ? 0 : this.#reserve)) return
    if (isUrgent) this.#makeRoomFor(version)
  }

  giveMore(version: PoolVersion, copies: number): void {
    const count = this.#holders(version.id).length
    if (count > 0 && count < copies) this.#load(version, this.#reserve)
  }

  /** Loads it where most places are free. */
  #load(version: PoolVersion, minFree: number): boolean {
    let best: Place | null = null
    for (const place of this.#places) {
      if (place.free <= minFree || place.adapters.has(version.id)) continue
      if (best === null || place.free > best.free) best = place
    }
    if (best === null) return false
    best.free -= 1
    best.adapters.set(version.id, 'loading')
    this.#holders(version.id).push(best)
    this.plan.loads.push({ replica: best.replica.name, version })
    return true
  }

  /** Lets another one leave where this one could go. It is loaded there when the other one is unloaded. */
  #makeRoomFor(version: PoolVersion): void {
    // What leaves already makes room.
    const leaving = this.#places.filter(({ adapters }) => [...adapters.values()].includes('leaving')).length
    if (leaving > this.plan.leaves.length) return
    const places = this.#places.filter(({ adapters }) => !adapters.has(version.id))
    this.#leaveOldest(places, version.usedAt)
  }

  freeReserves(): void {
    if (this.#reserve === 0) return
    for (const place of this.#places) {
      const isFreeing = [...place.adapters.values()].includes('leaving')
      if (place.free <= 0 && !isFreeing) this.#leaveOldest([place], this.#pool.now)
    }
  }

  #leaveOldest(places: readonly Place[], before: Date): void {
    let oldest: { readonly place: Place; readonly version: PoolVersion; readonly isCopy: boolean } | null = null
    for (const place of places) {
      for (const [id, state] of place.adapters) {
        const version = this.#versions.get(id)
        if (state !== 'ready' || version === undefined || this.#ageMs(version.usedAt) < inUseMs) continue
        if (version.usedAt >= before) continue
        const found = { place, version, isCopy: this.#holders(id).length > 1 }
        if (oldest === null || isBefore(found, oldest)) oldest = found
      }
    }
    if (oldest === null) return
    const { place, version } = oldest
    place.adapters.set(version.id, 'leaving')
    this.#having.set(
      version.id,
      this.#holders(version.id).filter((each) => each !== place),
    )
    this.plan.leaves.push({ replica: place.replica.name, version })
  }
}

interface Leaver {
  readonly version: PoolVersion
  readonly isCopy: boolean
}

function isBefore(one: Leaver, other: Leaver): boolean {
  if (one.isCopy !== other.isCopy) return one.isCopy
  return one.version.usedAt < other.version.usedAt
}
