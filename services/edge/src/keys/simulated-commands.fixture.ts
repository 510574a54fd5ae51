import { createLeaseWait, type LeaseReading } from '@ratchet/db/lease-wait'
import { newestVersion, type SimulatedChange, type SimulatedDatabase } from './simulated-database.fixture.ts'
import type { SimulatedWorld } from './simulated-world.fixture.ts'

/** Commands that change the key, again and again, several at the same time. */
export function startSimulatedCommands(world: SimulatedWorld, database: SimulatedDatabase): void {
  let lastRole = 0
  const change = () => {
    lastRole += 1
    database.lastVersion = Math.max(database.lastVersion, newestVersion(database)) + 1
    const committed: SimulatedChange = { version: database.lastVersion, role: lastRole }
    const commit = () => {
      database.changes.push(committed)
      awaitEdges(world, database, committed)
    }
    if (world.breaks('versions become visible out of order')) world.after(world.upTo(400), commit)
    else commit()
    world.after(world.upTo(3_000), change)
  }
  change()
}

/** The loop of `change-keys.ts`. */
function awaitEdges(world: SimulatedWorld, database: SimulatedDatabase, committed: SimulatedChange): void {
  const wait = createLeaseWait()
  const speed = world.breaks('a lease may be ignored after two seconds') ? 1.5 : 1 + world.upTo(0.04)
  const read = () => {
    const reading = readLeases(database)
    world.after(world.delayMs(), () => {
      if (`${database.timeline}` !== reading.timeline) return world.after(5, read)
      const nowMs = world.now() * speed
      const decision = wait.decide(reading, nowMs, nowMs)
      if (decision.kind === 'lost' || !database.changes.includes(committed)) return
      if (decision.kind === 'done') {
        if (decision.settlesTimeline) database.settledTimelines.add(database.timeline)
        world.returnedRole = Math.max(world.returnedRole, committed.role)
        return
      }
      if (decision.kind === 'end') {
        for (const { id, renewals } of decision.leases) {
          if (`${database.leases.get(id)?.renewals}` === renewals) database.leases.delete(id)
        }
      }
      world.after(5, read)
    })
  }
  world.after(world.delayMs(), read)
}

function readLeases(database: SimulatedDatabase): LeaseReading {
  return {
    timeline: `${database.timeline}`,
    isTimelineSettled: database.settledTimelines.has(database.timeline),
    version: newestVersion(database),
    leases: [...database.leases].map(([id, { timeline, ackedVersion, renewals }]) => ({
      id,
      timeline,
      ackedVersion,
      renewals: `${renewals}`,
    })),
  }
}
