import type { DedicatedState } from '@ratchet/contracts/dedicated-state'
import { drainingStep } from './draining.ts'
import type { EndpointRow, EndpointStep, EndpointWorld, ReplicaRow, ReplicaState, StopReason } from './endpoint-step.ts'
import { isIdle, leastReplicas, type Scale, scaleOf } from './scale.ts'
import { fitsHour, windowHoldNano, windowOf } from './windows.ts'

/** Time without a sign of an engine after which it is lost, milliseconds. */
export const lostAfterMs = 35_000
/** Time after which an endpoint whose replicas wait for hardware fails, milliseconds. */
export const maxWaitingMs = 1_800_000
/** Starts in a row that may fail. */
export const maxFailedStarts = 3

const soonMs = 500
const quietMs = 2_000
const refusedMs = 10_000

/** The next thing to do for an endpoint. Each is done once, also when it is decided twice. */
export function nextEndpointStep(row: EndpointRow, world: EndpointWorld): EndpointStep {
  return (
    overdueWindow(world) ??
    lostReplica(world) ??
    drainingStep(row, world) ??
    (mayRun(row) ? running(row, world) : ending(row, world))
  )
}

function mayRun({ state, stoppingFor }: EndpointRow): boolean {
  return stoppingFor === null && state !== 'STOPPED' && state !== 'FAILED' && state !== 'DELETED'
}

/** Windows that are over, or whose replica has ended. */
function overdueWindow({ now, replicas, windows }: EndpointWorld): EndpointStep | null {
  const current = windowOf(now)
  const states = new Map(replicas.map(({ id, state }) => [id, state]))
  const held = windows.filter(({ state }) => state !== 'posted')
  const over = held.find(({ number, replicaId }) => number < current || isOver(states.get(replicaId)))
  if (over !== undefined) return { kind: 'post', replicaId: over.replicaId, number: over.number }
  const done = replicas.find(({ id, state }) => state === 'ended' && !held.some(({ replicaId }) => replicaId === id))
  return done === undefined ? null : { kind: 'forget', replicaId: done.id }
}

function isOver(state: ReplicaState | undefined): boolean {
  return state === undefined || state === 'ended'
}

function lostReplica({ now, replicas }: EndpointWorld): EndpointStep | null {
  const lost = replicas.find(
    ({ state, seenAt }) =>
      state !== 'waiting' && state !== 'ended' && seenAt !== null && now.getTime() - seenAt.getTime() > lostAfterMs,
  )
  if (lost === undefined) return null
  return {
    kind: 'end',
    replicaId: lost.id,
    reason: 'Its engine was lost.',
    hasFailed: lost.state === 'starting',
    until: lost.seenAt,
  }
}

function ending(row: EndpointRow, { replicas }: EndpointWorld): EndpointStep {
  const why = row.stoppingFor === null ? 'The endpoint has failed.' : 'The endpoint stops.'
  const next = unused(replicas, why)
  if (next !== null) return next
  const isEnded = replicas.every(({ state }) => state === 'ended')
  if (row.state === 'STOPPING' && isEnded) {
    const state = row.stoppingFor === 'delete' ? 'DELETED' : 'STOPPED'
    return { kind: 'enter', state, message: stopMessages[row.stoppingFor ?? 'user'] }
  }
  return { kind: 'wait', ms: soonMs }
}

const stopMessages: Readonly<Record<StopReason, string | null>> = {
  user: null,
  delete: null,
  credit: 'The wallet did not cover the next five minutes. Top it up and start the endpoint again.',
  cap: 'The cost of an hour reached `max_hourly_cost_usd`. Start the endpoint again later, or raise the limit.',
}

/** Ends what is not ready, and lets what is ready finish. Null when nothing is left to tell. */
function unused(replicas: readonly ReplicaRow[], reason: string): EndpointStep | null {
  const idle = replicas.find(({ state }) => state === 'waiting' || state === 'starting')
  if (idle !== undefined) return { kind: 'end', replicaId: idle.id, reason, hasFailed: false, until: null }
  const ready = replicas.find(({ state }) => state === 'ready')
  return ready === undefined ? null : { kind: 'drain', replicaId: ready.id, reason }
}

function running(row: EndpointRow, world: EndpointWorld): EndpointStep {
  const live = world.replicas.filter(({ state }) => state === 'waiting' || state === 'starting' || state === 'ready')
  const ready = live.filter(({ state }) => state === 'ready')
  if (row.state === 'SCALED_TO_ZERO') return scaledToZero(row, world)
  return (
    unpaid(row, world, live) ??
    failing(row, world, { live, ready }) ??
    sleeping(row, world) ??
    scaling(row, world, { live, ready }) ??
    entering(row, world, { live, ready }) ?? { kind: 'wait', ms: waitMs(row, world) }
  )
}

function scaledToZero(row: EndpointRow, { traffic, replicas }: EndpointWorld): EndpointStep {
  if (traffic.waiting > 0 || row.minReplicas > 0) {
    return { kind: 'enter', state: 'STARTING', message: traffic.waiting > 0 ? 'A request has woken it.' : null }
  }
  if (row.revision !== row.appliedRevision) return { kind: 'applied' }
  return unused(replicas, 'Nobody asks.') ?? { kind: 'wait', ms: soonMs }
}

interface Running {
  readonly live: readonly ReplicaRow[]
  readonly ready: readonly ReplicaRow[]
}

/** Each replica needs the window of now and the next one. Without the window of now it ends. */
function unpaid(row: EndpointRow, world: EndpointWorld, live: readonly ReplicaRow[]): EndpointStep | null {
  const current = windowOf(world.now)
  const paid = world.windows.filter(({ state }) => state !== 'asked')
  const known = new Set(paid.map(({ replicaId, number }) => `${replicaId} ${number}`))
  const amountNano = windowHoldNano(row.priceNanoPerHour)
  for (const number of [current, current + 1]) {
    for (const replica of live) {
      const place = `${replica.id} ${number}`
      if (known.has(place)) continue
      const fits = fitsHour(world.windows, { number, amountNano, maxHourlyNano: row.maxHourlyCostNano })
      if (fits && !world.refused.has(place)) return { kind: 'hold', replicaId: replica.id, number, amountNano }
      if (number === current) return withoutWindow(replica, { live, reason: fits ? 'credit' : 'cap' })
    }
  }
  return null
}

interface Unpaid {
  readonly live: readonly ReplicaRow[]
  readonly reason: 'credit' | 'cap'
}

function withoutWindow(replica: ReplicaRow, { live, reason }: Unpaid): EndpointStep {
  if (live.length === 1 && replica.state !== 'ready') return { kind: 'stop', reason }
  const why = reason === 'cap' ? 'The cost of an hour is reached.' : 'The wallet does not cover it.'
  if (replica.state !== 'ready')
    return { kind: 'end', replicaId: replica.id, reason: why, hasFailed: false, until: null }
  if (live.length === 1) return { kind: 'stop', reason }
  return { kind: 'drain', replicaId: replica.id, reason: why }
}

function failing(row: EndpointRow, { now }: EndpointWorld, { live, ready }: Running): EndpointStep | null {
  if (ready.length > 0) return null
  if (row.failedStarts >= maxFailedStarts) {
    const message = 'Its replicas ended before they were ready; see `last_error`. Start it again when that is mended.'
    return { kind: 'enter', state: 'FAILED', message }
  }
  const waits = live.length > 0 && live.every(({ state }) => state === 'waiting')
  const oldest = live[0]
  if (!waits || oldest === undefined || now.getTime() - oldest.createdAt.getTime() < maxWaitingMs) return null
  return {
    kind: 'enter',
    state: 'FAILED',
    message: 'no_capacity: there was no hardware for half an hour. Try again later.',
  }
}

function sleeping(row: EndpointRow, { traffic, now }: EndpointWorld): EndpointStep | null {
  const isAwake = row.state === 'RUNNING' || row.state === 'UPDATING'
  if (!isAwake || !isIdle(row, traffic, { now, since: row.stateAt })) return null
  return { kind: 'enter', state: 'SCALED_TO_ZERO', message: 'Nobody has asked for a while.' }
}

function scaling(row: EndpointRow, { traffic, now }: EndpointWorld, { live, ready }: Running): EndpointStep | null {
  const scale = scaleOf(row, traffic, now)
  if (!isSameScale(scale, row)) return { kind: 'scale', scale }
  if (live.length < scale.desired) {
    return row.failedStarts >= maxFailedStarts && ready.length > 0 ? null : { kind: 'add' }
  }
  if (live.length === scale.desired) return null
  const reason = 'Fewer replicas are needed.'
  const extra = live.findLast(({ state }) => state !== 'ready')
  if (extra !== undefined) return { kind: 'end', replicaId: extra.id, reason, hasFailed: false, until: null }
  const last = live.at(-1)
  return last === undefined ? null : { kind: 'drain', replicaId: last.id, reason }
}

function isSameScale(left: Scale, right: Scale): boolean {
  return (
    left.desired === right.desired &&
    left.busySince?.getTime() === right.busySince?.getTime() &&
    left.calmSince?.getTime() === right.calmSince?.getTime()
  )
}

function entering(
  row: EndpointRow,
  { undecidedAdapters }: EndpointWorld,
  { live, ready }: Running,
): EndpointStep | null {
  const isChanged = row.revision !== row.appliedRevision
  const hasReplicas = ready.length >= leastReplicas(row) && ready.length <= row.maxReplicas
  if (isChanged && hasReplicas && undecidedAdapters === 0) return { kind: 'applied' }
  const state = stateOf(row, { live, ready })
  return state === row.state ? null : { kind: 'enter', state, message: null }
}

function stateOf({ state, revision, appliedRevision }: EndpointRow, { live, ready }: Running): DedicatedState {
  if (ready.length > 0) return revision === appliedRevision ? 'RUNNING' : 'UPDATING'
  const hasMachine = live.some((replica) => replica.state === 'starting')
  return state === 'PENDING' && !hasMachine ? 'PENDING' : 'STARTING'
}

function waitMs({ state }: EndpointRow, { refused, traffic }: EndpointWorld): number {
  if (refused.size > 0) return refusedMs
  return state === 'RUNNING' && traffic.waiting === 0 ? quietMs : soonMs
}
