import { setTimeout as sleep } from 'node:timers/promises'
import { createLeaseWait, type LeaseReading, type LeaseRow } from './lease-wait.ts'
import type { IdentityDb } from './ownership.ts'

/** Milliseconds after which a wait fails. A lease that nobody renews ends after three seconds. */
const maxWaitMs = 10_000
const longestPauseMs = 32

/** The change is saved, but it is not known whether every edge applies it. The same command may be repeated. */
export class KeyChangeUnconfirmed extends Error {
  constructor(reason: string, cause?: unknown) {
    super(`the change is saved, but edges may apply the state before for up to three seconds: ${reason}; repeat it`, {
      cause,
    })
    this.name = 'KeyChangeUnconfirmed'
  }
}

/**
 * Runs a change of keys or memberships, and returns when no edge answers from what it read before: every request that
 * starts afterwards gets the new state. Takes a few milliseconds; three seconds if an edge died or cannot be reached.
 * `change` must be committed when it resolves.
 *
 * @throws KeyChangeUnconfirmed when the leases cannot be read after the change
 */
export async function changeKeys<T>(db: IdentityDb, change: () => Promise<T>): Promise<T> {
  const result = await change()
  try {
    await awaitEdges(db)
  } catch (cause) {
    if (cause instanceof KeyChangeUnconfirmed) throw cause
    throw new KeyChangeUnconfirmed('their leases could not be read', cause)
  }
  return result
}

async function awaitEdges(db: IdentityDb): Promise<void> {
  const wait = createLeaseWait()
  const startedAtMs = performance.now()
  for (let pauseMs = 1; performance.now() - startedAtMs < maxWaitMs; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const reading = await readLeases(db)
    const nowMs = performance.now()
    const decision = wait.decide(reading, nowMs, nowMs)
    if (decision.kind === 'lost') throw new KeyChangeUnconfirmed('the database failed over and lost it')
    if (decision.kind === 'done') {
      return decision.settlesTimeline ? settleTimeline(db, reading.timeline) : undefined
    }
    if (decision.kind === 'end') await endLeases(db, decision.leases)
    else await sleep(pauseMs)
  }
  throw new KeyChangeUnconfirmed('an edge renews its lease without applying it')
}

async function readLeases(db: IdentityDb): Promise<LeaseReading> {
  const rows = await db.$queryRaw<LeaseReading[]>`
    SELECT current_timeline() AS "timeline",
      EXISTS (SELECT 1 FROM key_timeline WHERE name = current_timeline()) AS "isTimelineSettled",
      coalesce((SELECT max(version) FROM key_change), 0)::float8 AS "version",
      coalesce((SELECT json_agg(json_build_object(
        'id', id, 'timeline', timeline, 'ackedVersion', acked_version, 'renewals', renewals::text)) FROM edge_lease), '[]')
        AS "leases"`
  const [reading] = rows
  if (reading === undefined) throw new Error('the database returned no row')
  return reading
}

/** An edge that renewed meanwhile keeps its lease; another one drops what it read when it finds its row missing. */
async function endLeases(db: IdentityDb, leases: readonly LeaseRow[]): Promise<void> {
  for (const { id, renewals } of leases) {
    await db.edgeLease.deleteMany({ where: { id, renewals: BigInt(renewals) } })
  }
}

async function settleTimeline(db: IdentityDb, name: string): Promise<void> {
  await db.keyTimeline.createMany({ data: [{ name }], skipDuplicates: true })
}
