import type { EndpointRow, EndpointStep, EndpointWorld, ReplicaRow } from './endpoint-step.ts'
import { fitsHour, windowHoldNano, windowOf, windowStart } from './windows.ts'

/** Time in which processes of inference learn that a replica gets no more requests, milliseconds. */
const unroutedAfterMs = 3_000
/** Time in which a replica may finish requests that nobody pays any more, milliseconds. */
const maxUnpaidMs = 30_000

type Endpoint = Pick<EndpointRow, 'drainingS' | 'priceNanoPerHour' | 'maxHourlyCostNano'>

/**
 * What to do for replicas that finish their requests. They work as before, so they need the window of now: who stops an endpoint
 * right after sending long requests pays for their answers.
 */
export function drainingStep(row: Endpoint, world: EndpointWorld): EndpointStep | null {
  for (const replica of world.replicas) {
    const step = replica.state === 'draining' ? nextOf(row, world, replica) : null
    if (step !== null) return step
  }
  return null
}

function nextOf(row: Endpoint, world: EndpointWorld, replica: ReplicaRow): EndpointStep | null {
  const { now, windows, refused } = world
  const end = { kind: 'end', replicaId: replica.id, hasFailed: false, until: null } as const
  const since = replica.drainingAt?.getTime() ?? 0
  const forMs = now.getTime() - since
  const isDone = replica.running === 0 && forMs >= unroutedAfterMs
  if (isDone || forMs >= Math.max(row.drainingS * 1_000, unroutedAfterMs)) {
    return { ...end, reason: 'It has finished its requests.' }
  }
  const number = windowOf(now)
  const paid = windows.filter(({ state, replicaId }) => state !== 'asked' && replicaId === replica.id)
  if (paid.some((window) => window.number === number)) return null
  const amountNano = windowHoldNano(row.priceNanoPerHour)
  // After a gap, as when no worker ran, it is not worth another interval.
  const follows = paid.some((window) => window.number === number - 1)
  const fits = fitsHour(windows, { number, amountNano, maxHourlyNano: row.maxHourlyCostNano })
  const isRefused = refused.has(`${replica.id} ${number}`)
  if (follows && fits && !isRefused) return { kind: 'hold', replicaId: replica.id, number, amountNano }
  const unpaidMs = now.getTime() - Math.max(since, windowStart(number).getTime())
  return unpaidMs < maxUnpaidMs ? null : { ...end, reason: 'Its time is not paid any more.' }
}
