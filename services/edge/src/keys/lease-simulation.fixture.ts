import { createLeaseWait, type LeaseRow } from '@ratchet/db/lease-wait'
import { seededRandom } from '@ratchet/testing/seeded-random'
import { createKeyLease, type KeyChanges, type LeaseRequest } from './key-lease.ts'

/*
 * Edges, commands and a database in simulated time: statements and answers are late or lost, processes and virtual
 * machines freeze, clocks step and run at different speeds, the database fails over and loses commits. There is one key,
 * whose role is a number that grows with every change. Each rule of the protocol can be broken, to show that the
 * simulation notices it.
 */

export const mutations = [
  'the clock is noted after the answer',
  'a read that began before a change fills the cache',
  'a version is acknowledged before it is applied',
  'a lease that was ended is renewed',
  'a lease may be ignored after two seconds',
  'a failover keeps the timeline',
  'versions become visible out of order',
  'the wall clock is not read',
] as const
export type Mutation = (typeof mutations)[number]

export interface SimulationResult {
  /** Requests that were answered with a role that had been replaced before they started. */
  readonly stale: number
  readonly hits: number
  readonly reads: number
  /** Longest wait of a command, milliseconds, while the database answered. */
  readonly longestWaitMs: number
}

interface Change {
  readonly version: number
  readonly role: number
}

interface Database {
  timeline: number
  settled: Set<number>
  changes: Change[]
  /** With the mutation of the order: versions that are given out, but not committed yet. */
  lastVersion: number
  leases: Map<string, { timeline: string; ackedVersion: number; renewals: number }>
}

export function simulate(seed: number, mutation: Mutation | null): SimulationResult {
  const random = seededRandom(seed)
  const is = (name: Mutation) => mutation === name
  const upTo = (max: number) => random() * max
  const events: { at: number; run: () => void }[] = []
  let now = 0
  const after = (ms: number, run: () => void) => void events.push({ at: now + ms, run })
  /** Mostly fast, sometimes slow enough to be overtaken by anything. */
  const delay = () => (random() < 0.85 ? upTo(8) : upTo(2_500))
  const isLost = () => random() < 0.05

  const db: Database = { timeline: 1, settled: new Set([1]), changes: [], lastVersion: 0, leases: new Map() }
  const newest = () => db.changes.reduce((last, { version }) => Math.max(last, version), 0)
  const roleNow = () => db.changes.at(-1)?.role ?? 0
  let lastRole = 0
  let returnedRole = 0
  let stale = 0
  let hits = 0
  let reads = 0
  let longestWaitMs = 0

  function execute(request: LeaseRequest): KeyChanges | null {
    const { leaseId } = request
    const timeline = `${db.timeline}`
    const version = newest()
    if (request.kind === 'join') {
      db.leases.set(leaseId, { timeline, ackedVersion: version, renewals: 0 })
      return { version, oldestVersion: null, userIds: [] }
    }
    const row = db.leases.get(leaseId)
    if (row?.timeline !== timeline) {
      if (!is('a lease that was ended is renewed') || row !== undefined) return null
    }
    const ackedVersion = is('a version is acknowledged before it is applied') ? version : request.ackedVersion
    db.leases.set(leaseId, { timeline, ackedVersion, renewals: (row?.renewals ?? 0) + 1 })
    const seen = is('a lease that was ended is renewed') && row === undefined ? [] : db.changes
    const userIds = seen.filter((change) => change.version > request.ackedVersion).map(() => 'user')
    return { version, oldestVersion: db.changes[0]?.version ?? null, userIds }
  }

  function startEdge(name: number): void {
    const speed = 0.95 + upTo(0.05)
    // A suspension is invisible if the wall clock is set back by as much in the same seconds, so it is one or the other.
    const isVirtual = random() < 0.5
    let frozenUntil = 0
    let suspendedMs = 0
    let stepMs = 0
    let joins = 0
    const monotonicMs = () => (now - suspendedMs) * speed
    const wallMs = is('the wall clock is not read') ? monotonicMs : () => now * speed + stepMs
    const lease = createKeyLease({ maxKeys: 2, monotonicMs, wallMs })
    /** What this process does, later if it is frozen. */
    const act = (work: () => void): void => {
      if (now >= frozenUntil) work()
      else after(frozenUntil - now, () => act(work))
    }

    function renew(): void {
      joins += 1
      const request = lease.nextRequest(`${name}-${joins}`)
      let isOpen = true
      const go = (answer: KeyChanges | null) =>
        act(() => {
          if (!isOpen) return
          isOpen = false
          const sentAt = is('the clock is noted after the answer')
            ? { monotonicMs: monotonicMs(), wallMs: wallMs() }
            : request.sentAt
          const isDue = lease.receive({ ...request, sentAt }, answer)
          after(isDue ? 0 : 1_000, () => act(renew))
        })
      if (!isLost()) {
        const sentIn = db.timeline
        after(delay(), () => {
          if (db.timeline !== sentIn) return
          const answer = execute(request)
          if (!isLost()) after(delay(), () => go(answer))
        })
      }
      after(1_000, () =>
        act(() => {
          if (!isOpen) return
          isOpen = false
          after(0, () => act(renew))
        }),
      )
    }

    function request(): void {
      const mustHave = returnedRole
      act(() => {
        const found = lease.find('key')
        if (found !== null) {
          hits += 1
          if (Number(found.keyId) < Math.min(mustHave, returnedRole)) stale += 1
          return
        }
        reads += 1
        const readSince = lease.beforeRead()
        const sentIn = db.timeline
        after(delay(), () => {
          if (db.timeline !== sentIn) return
          const identity = { keyId: `${roleNow()}`, userId: 'user', workspaceId: 'w', role: 'member' } as const
          const fills = () => (is('a read that began before a change fills the cache') ? lease.beforeRead() : readSince)
          after(delay(), () => act(() => lease.fill('key', identity, fills())))
        })
      })
      after(upTo(60), request)
    }

    function disturb(): void {
      if (random() < 0.5) frozenUntil = now + upTo(5_000)
      else if (isVirtual) {
        const ms = upTo(6_000)
        frozenUntil = now + ms
        after(ms, () => {
          suspendedMs += ms
        })
      } else stepMs += upTo(8_000) - 4_000
      after(upTo(8_000), disturb)
    }

    renew()
    request()
    after(upTo(8_000), disturb)
  }

  function change(): void {
    lastRole += 1
    db.lastVersion = Math.max(db.lastVersion, newest()) + 1
    const committed: Change = { version: db.lastVersion, role: lastRole }
    const commit = () => {
      db.changes.push(committed)
      awaitEdges(committed)
    }
    if (is('versions become visible out of order')) after(upTo(400), commit)
    else commit()
    after(upTo(3_000), change)
  }

  function awaitEdges(committed: Change): void {
    const wait = createLeaseWait()
    const speed = is('a lease may be ignored after two seconds') ? 1.5 : 1 + upTo(0.04)
    const startedAt = now
    const read = () => {
      const leases: LeaseRow[] = [...db.leases].map(([id, row]) => ({ ...row, id, renewals: `${row.renewals}` }))
      const settled = db.settled.has(db.timeline)
      const timeline = `${db.timeline}`
      const reading = { timeline, isTimelineSettled: settled, version: newest(), leases }
      after(delay(), () => {
        if (`${db.timeline}` !== timeline) return after(5, read)
        const decision = wait.decide(reading, now * speed, now * speed)
        if (decision.kind === 'lost' || !db.changes.includes(committed)) return
        if (decision.kind === 'done') {
          if (decision.settlesTimeline) db.settled.add(db.timeline)
          returnedRole = Math.max(returnedRole, committed.role)
          longestWaitMs = Math.max(longestWaitMs, now - startedAt)
          return
        }
        if (decision.kind === 'end') {
          for (const { id, renewals } of decision.leases) {
            if (`${db.leases.get(id)?.renewals}` === renewals) db.leases.delete(id)
          }
        }
        after(5, read)
      })
    }
    after(delay(), read)
  }

  /** A standby takes over that is up to one and a half seconds behind. */
  function failOver(): void {
    const copy = { changes: [...db.changes], leases: new Map([...db.leases].map(([id, row]) => [id, { ...row }])) }
    after(upTo(1_500), () => {
      db.changes = copy.changes
      db.leases = copy.leases
      db.lastVersion = newest()
      if (!is('a failover keeps the timeline')) db.timeline += 1
      returnedRole = Math.min(returnedRole, roleNow())
    })
    after(2_000 + upTo(8_000), failOver)
  }

  for (let name = 0; name < 3; name++) startEdge(name)
  change()
  after(upTo(8_000), failOver)
  while (now < 60_000) {
    const next = events.reduce((first, event) => (event.at < first.at ? event : first))
    events.splice(events.indexOf(next), 1)
    now = next.at
    next.run()
  }
  return { stale, hits, reads, longestWaitMs }
}
