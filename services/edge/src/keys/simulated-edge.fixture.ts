import { createKeyLease, type KeyChanges, type KeyLease } from './key-lease.ts'
import { executeRequest, roleOf, type SimulatedDatabase } from './simulated-database.fixture.ts'
import type { SimulatedWorld } from './simulated-world.fixture.ts'

/** A process that may be frozen, on a machine with its own clocks. */
interface SimulatedProcess {
  monotonicMs(): number
  wallMs(): number
  /** Works now, or when the process is not frozen any more. */
  act(work: () => void): void
}

/** An edge that renews its lease and receives requests. */
export function startSimulatedEdge(world: SimulatedWorld, database: SimulatedDatabase, name: string): void {
  const process = startProcess(world)
  const lease = createKeyLease({ maxKeys: 2, monotonicMs: process.monotonicMs, wallMs: process.wallMs })
  renewAgainAndAgain({ world, database, process, lease }, name)
  receiveRequests({ world, database, process, lease })
}

function startProcess(world: SimulatedWorld): SimulatedProcess {
  const speed = 0.95 + world.upTo(0.05)
  // A suspension is invisible if the wall clock is set back by as much in the same seconds, so it is one or the other.
  const isVirtual = world.random() < 0.5
  let frozenUntil = 0
  let suspendedMs = 0
  let stepMs = 0
  const freeze = (ms: number) => {
    frozenUntil = world.now() + ms
  }
  const disturb = () => {
    if (world.random() < 0.5) freeze(world.upTo(5_000))
    else if (isVirtual) {
      const ms = world.upTo(6_000)
      freeze(ms)
      world.after(ms, () => {
        suspendedMs += ms
      })
    } else stepMs += world.upTo(8_000) - 4_000
    world.after(world.upTo(8_000), disturb)
  }
  world.after(world.upTo(8_000), disturb)

  const monotonicMs = () => (world.now() - suspendedMs) * speed
  const act = (work: () => void): void => {
    if (world.now() >= frozenUntil) work()
    else world.after(frozenUntil - world.now(), () => act(work))
  }
  const wallMs = () => world.now() * speed + stepMs
  return { monotonicMs, wallMs: world.breaks('the wall clock is not read') ? monotonicMs : wallMs, act }
}

interface EdgeParts {
  readonly world: SimulatedWorld
  readonly database: SimulatedDatabase
  readonly process: SimulatedProcess
  readonly lease: KeyLease
}

/** The loop of `renew-lease.ts`: one statement after the other, each for at most a second. */
function renewAgainAndAgain({ world, database, process, lease }: EdgeParts, name: string): void {
  let renewals = 0
  const renew = () => {
    renewals += 1
    const request = lease.nextRequest(`${name}-${renewals}`)
    let isOpen = true
    const receive = (answer: KeyChanges | null) => {
      if (!isOpen) return
      isOpen = false
      const isLate = world.breaks('the clock is noted after the answer')
      const sentAt = isLate ? { monotonicMs: process.monotonicMs(), wallMs: process.wallMs() } : request.sentAt
      const isDue = lease.receive({ ...request, sentAt }, answer)
      world.after(isDue ? 0 : 1_000, () => process.act(renew))
    }
    const giveUp = () => {
      if (!isOpen) return
      isOpen = false
      renew()
    }
    world.after(1_000, () => process.act(giveUp))
    if (world.isLost()) return
    const { timeline } = database
    world.after(world.delayMs(), () => {
      if (database.timeline !== timeline) return
      const answer = executeRequest(world, database, request)
      if (!world.isLost()) world.after(world.delayMs(), () => process.act(() => receive(answer)))
    })
  }
  renew()
}

/** What `key-verifier.ts` does with a request. */
function receiveRequests({ world, database, process, lease }: EdgeParts): void {
  const answer = (mustHave: number) => {
    const found = lease.find('key')
    if (found === null) return readKey()
    world.counts.hits += 1
    // A failover may have lost the change meanwhile.
    if (Number(found.keyId) < Math.min(mustHave, world.returnedRole)) world.counts.stale += 1
  }
  const readKey = () => {
    world.counts.reads += 1
    const readSince = lease.beforeRead()
    const { timeline } = database
    world.after(world.delayMs(), () => {
      if (database.timeline !== timeline) return
      const identity = { keyId: `${roleOf(database)}`, userId: 'user', workspaceId: 'w', role: 'member' } as const
      const isCareless = world.breaks('a read that began before a change fills the cache')
      const fill = () => lease.fill('key', identity, isCareless ? lease.beforeRead() : readSince)
      world.after(world.delayMs(), () => process.act(fill))
    })
  }
  const request = () => {
    const mustHave = world.returnedRole
    process.act(() => answer(mustHave))
    world.after(world.upTo(60), request)
  }
  request()
}
