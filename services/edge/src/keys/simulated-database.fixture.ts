import type { KeyChanges, LeaseRequest } from './key-lease.ts'
import type { SimulatedWorld } from './simulated-world.fixture.ts'

export interface SimulatedChange {
  readonly version: number
  readonly role: number
}

interface StoredLease {
  readonly timeline: string
  readonly ackedVersion: number
  readonly renewals: number
}

/** What Postgres stores. */
export interface SimulatedDatabase {
  timeline: number
  readonly settledTimelines: Set<number>
  /** Committed changes. */
  changes: SimulatedChange[]
  lastVersion: number
  leases: Map<string, StoredLease>
}

export function createSimulatedDatabase(): SimulatedDatabase {
  return { timeline: 1, settledTimelines: new Set([1]), changes: [], lastVersion: 0, leases: new Map() }
}

export function newestVersion({ changes }: SimulatedDatabase): number {
  return changes.reduce((newest, { version }) => Math.max(newest, version), 0)
}

export function roleOf({ changes }: SimulatedDatabase): number {
  return changes.at(-1)?.role ?? 0
}

/** The statements of `pg-lease-store.ts`. */
export function executeRequest(world: SimulatedWorld, database: SimulatedDatabase, request: LeaseRequest) {
  return request.kind === 'join' ? join(database, request.leaseId) : renew(world, database, request)
}

function join(database: SimulatedDatabase, leaseId: string): KeyChanges {
  const version = newestVersion(database)
  database.leases.set(leaseId, { timeline: `${database.timeline}`, ackedVersion: version, renewals: 0 })
  return { version, oldestVersion: null, userIds: [] }
}

function renew(
  { breaks }: SimulatedWorld,
  database: SimulatedDatabase,
  { leaseId, ackedVersion }: LeaseRequest & { kind: 'renew' },
): KeyChanges | null {
  const timeline = `${database.timeline}`
  const version = newestVersion(database)
  const row = database.leases.get(leaseId)
  const isRevived = row === undefined && breaks('a lease that was ended is renewed')
  if (row?.timeline !== timeline && !isRevived) return null
  database.leases.set(leaseId, {
    timeline,
    ackedVersion: breaks('a version is acknowledged before it is applied') ? version : ackedVersion,
    renewals: (row?.renewals ?? 0) + 1,
  })
  const unknown = isRevived ? [] : database.changes.filter((change) => change.version > ackedVersion)
  return { version, oldestVersion: database.changes[0]?.version ?? null, userIds: unknown.map(() => 'user') }
}

/** A standby takes over that is up to one and a half seconds behind; again and again. */
export function failOver(world: SimulatedWorld, database: SimulatedDatabase): void {
  const changes = [...database.changes]
  const leases = new Map(database.leases)
  world.after(world.upTo(1_500), () => {
    database.changes = changes
    database.leases = leases
    database.lastVersion = newestVersion(database)
    if (!world.breaks('a failover keeps the timeline')) database.timeline += 1
    world.returnedRole = Math.min(world.returnedRole, roleOf(database))
  })
  world.after(2_000 + world.upTo(8_000), () => failOver(world, database))
}
