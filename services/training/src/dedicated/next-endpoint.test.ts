import type { EndpointRow, EndpointWorld, ReplicaRow } from './endpoint-step.ts'
import { lostAfterMs, maxFailedStarts, maxWaitingMs, nextEndpointStep } from './next-endpoint.ts'
import { type KnownWindow, windowHoldNano, windowOf, windowStart } from './windows.ts'

/** The middle of a window. */
const now = new Date(windowStart(5_000_000).getTime() + 100_000)
const current = windowOf(now)
const before = (seconds: number) => new Date(now.getTime() - seconds * 1_000)

const row: EndpointRow = {
  state: 'RUNNING',
  stateAt: before(10_000),
  stoppingFor: null,
  failedStarts: 0,
  revision: 1,
  appliedRevision: 1,
  priceNanoPerHour: 3_600_000_000n,
  maxHourlyCostNano: null,
  drainingS: 600,
  minReplicas: 0,
  maxReplicas: 4,
  scaleToZeroAfterS: 3_600,
  scaleUpWindowS: 30,
  scaleDownWindowS: 600,
  targetConcurrency: 8,
  desired: 1,
  busySince: null,
  calmSince: null,
}
const amountNano = windowHoldNano(row.priceNanoPerHour)

const replica = (id: string, more: Partial<ReplicaRow> = {}): ReplicaRow => ({
  id,
  state: 'ready',
  createdAt: before(1_000),
  drainingAt: null,
  seenAt: before(1),
  running: 0,
  ...more,
})
const held = (replicaId: string, number = current): KnownWindow => ({
  replicaId,
  number,
  state: 'held',
  heldNano: amountNano,
  costNano: 0n,
})
const posted = (replicaId: string, number: number, costNano = amountNano): KnownWindow => ({
  ...held(replicaId, number),
  state: 'posted',
  costNano,
})
const paid = (...ids: string[]) => ids.flatMap((id) => [held(id), held(id, current + 1)])
const quiet = { running: 0, waiting: 0, lastRequestAt: before(100), cacheUsed: null }
const world = (more: Partial<EndpointWorld> = {}): EndpointWorld => ({
  now,
  replicas: [replica('a')],
  traffic: quiet,
  undecidedAdapters: 0,
  windows: paid('a'),
  refused: new Set(),
  ...more,
})
const next = (changes: Partial<EndpointRow>, more: Partial<EndpointWorld> = {}) =>
  nextEndpointStep({ ...row, ...changes }, world(more))

describe('windows', () => {
  it.each([
    ['one that is over', [held('a', current - 1), ...paid('a')], current - 1],
    ['the oldest that is over', [held('a', current - 2), held('a', current - 1)], current - 2],
  ])('posts %s', (_, windows, number) => {
    expect(next({}, { windows })).toEqual({ kind: 'post', replicaId: 'a', number })
  })

  it('posts those of a replica that has ended at once, and of one that takes no more requests when it has ended', () => {
    const ended = [replica('a', { state: 'ended' })]
    expect(next({}, { replicas: ended })).toEqual({ kind: 'post', replicaId: 'a', number: current })
    const draining = [replica('a', { state: 'draining', drainingAt: before(1) })]
    expect(next({}, { replicas: draining })).not.toMatchObject({ kind: 'post' })
  })

  it('holds the window of now, and no later one, of a replica that finishes its requests', () => {
    const draining = replica('b', { state: 'draining', drainingAt: before(200), running: 1 })
    const replicas = [replica('a'), draining]
    const last = posted('b', current - 1)
    const hold = { kind: 'hold', replicaId: 'b', number: current, amountNano }
    expect(next({}, { replicas, windows: [...paid('a'), last] })).toEqual(hold)
    expect(next({ state: 'STOPPING', stoppingFor: 'user' }, { replicas: [draining], windows: [last] })).toEqual(hold)
    expect(next({}, { replicas, windows: [...paid('a'), last, held('b')] })).toMatchObject({ kind: 'wait' })
  })

  it('ends a replica that finishes requests which nobody pays, half a minute later', () => {
    const refused = new Set([`b ${current}`])
    const after = (seconds: number) => {
      const draining = replica('b', { state: 'draining', drainingAt: before(seconds), running: 1 })
      const windows = [...paid('a'), posted('b', current - 1)]
      return next({}, { replicas: [replica('a'), draining], windows, refused })
    }
    expect(after(29)).toMatchObject({ kind: 'wait' })
    expect(after(31)).toMatchObject({ kind: 'end', replicaId: 'b', reason: 'Its time is not paid any more.' })
  })

  it('forgets an ended replica for which nothing is held', () => {
    const replicas = [replica('a', { state: 'ended' })]
    expect(next({}, { replicas, windows: [posted('a', current)] })).toEqual({ kind: 'forget', replicaId: 'a' })
  })

  it.each(['waiting', 'starting', 'ready'] as const)(
    'holds the window of now, then the next one, of a replica that is %s',
    (state) => {
      const replicas = [replica('a', { state })]
      expect(next({}, { replicas, windows: [] })).toEqual({ kind: 'hold', replicaId: 'a', number: current, amountNano })
      expect(next({}, { replicas, windows: [held('a')] })).toMatchObject({ kind: 'hold', number: current + 1 })
    },
  )

  it('goes on to the end of the paid window when the next one is refused', () => {
    const refused = new Set([`a ${current + 1}`])
    expect(next({}, { windows: [held('a')], refused })).toMatchObject({ kind: 'wait' })
  })

  it('stops for credit when the window of now is refused', () => {
    const refused = new Set([`a ${current}`])
    expect(next({}, { windows: [], refused })).toEqual({ kind: 'stop', reason: 'credit' })
  })

  it('ends only the replica that is not paid while another one is', () => {
    const refused = new Set([`b ${current}`])
    const replicas = [replica('a'), replica('b')]
    const step = { kind: 'drain', replicaId: 'b' }
    expect(next({ desired: 2 }, { replicas, windows: paid('a'), refused })).toMatchObject(step)
    const starting = [replica('a'), replica('b', { state: 'starting' })]
    const end = { kind: 'end', replicaId: 'b', hasFailed: false }
    expect(next({ desired: 2 }, { replicas: starting, windows: paid('a'), refused })).toMatchObject(end)
  })

  it('stops before an hour costs more than its limit', () => {
    const hour = Array.from({ length: 11 }, (_, index) => posted('a', current - 1 - index))
    const limit = { maxHourlyCostNano: 12n * amountNano }
    expect(next(limit, { windows: hour })).toMatchObject({ kind: 'hold', number: current })
    const over = { maxHourlyCostNano: 12n * amountNano - 1n }
    expect(next(over, { windows: hour })).toEqual({ kind: 'stop', reason: 'cap' })
    // Thirteen windows are more than an hour.
    const older = [posted('a', current - 12), held('a'), held('a', current + 1)]
    expect(next(limit, { windows: [...hour.slice(0, 10), ...older] })).toMatchObject({ kind: 'wait' })
  })
})

describe('replicas', () => {
  it('ends one whose engine was not seen for long; a start counts as failed', () => {
    const seenAt = new Date(now.getTime() - lostAfterMs - 1)
    expect(next({}, { replicas: [replica('a', { seenAt })] })).toMatchObject({ kind: 'end', hasFailed: false })
    const starting = replica('a', { seenAt, state: 'starting' })
    expect(next({}, { replicas: [starting] })).toMatchObject({ kind: 'end', hasFailed: true })
  })

  it('ends a draining one when it is done, or its time is over', () => {
    const draining = (more: Partial<ReplicaRow>) => [replica('a'), replica('b', { state: 'draining', ...more })]
    const after = (more: Partial<ReplicaRow>) => next({}, { replicas: draining(more), windows: paid('a', 'b') })
    expect(after({ drainingAt: before(4) })).toMatchObject({ kind: 'end', replicaId: 'b' })
    expect(after({ drainingAt: before(2) })).toMatchObject({ kind: 'wait' })
    expect(after({ drainingAt: before(400), running: 1 })).toMatchObject({ kind: 'wait' })
    expect(after({ drainingAt: before(600), running: 1 })).toMatchObject({ kind: 'end', replicaId: 'b' })
  })

  it('adds up to as many as are desired, and ends the newest when there are too many', () => {
    expect(next({ desired: 2, minReplicas: 2 })).toEqual({ kind: 'add' })
    const replicas = [replica('a'), replica('b')]
    const windows = paid('a', 'b')
    expect(next({}, { replicas, windows })).toMatchObject({ kind: 'drain', replicaId: 'b' })
    const starting = [replica('a', { state: 'starting' }), replica('b')]
    expect(next({}, { replicas: starting, windows })).toMatchObject({ kind: 'end', replicaId: 'a' })
  })

  it('adds no more after three failed starts while another one is ready', () => {
    const failed = { desired: 2, minReplicas: 2, failedStarts: maxFailedStarts, state: 'RUNNING' } as const
    expect(next(failed)).toMatchObject({ kind: 'wait' })
  })

  it('scales up after its window, and down after its own', () => {
    const busy = { ...quiet, running: 17 }
    const scale = { desired: 1, busySince: now, calmSince: null }
    expect(next({}, { traffic: busy })).toEqual({ kind: 'scale', scale })
    expect(next({ busySince: before(29) }, { traffic: busy })).toMatchObject({ kind: 'wait' })
    const up = { desired: 3, busySince: null, calmSince: null }
    expect(next({ busySince: before(30) }, { traffic: busy })).toEqual({ kind: 'scale', scale: up })
    const full = { ...quiet, running: 3, cacheUsed: 0.9 }
    expect(next({}, { traffic: full })).toEqual({ kind: 'scale', scale })
    const one = { desired: 2, busySince: null, calmSince: null }
    expect(next({ busySince: before(30) }, { traffic: full })).toEqual({ kind: 'scale', scale: one })
    expect(next({}, { traffic: { ...full, cacheUsed: 0.89 } })).toMatchObject({ kind: 'wait' })
    const calm = next({ desired: 3, calmSince: before(600) })
    expect(calm).toEqual({ kind: 'scale', scale: { desired: 1, busySince: null, calmSince: null } })
    expect(next({ busySince: before(5) })).toMatchObject({ kind: 'scale', scale: { busySince: null } })
  })
})

describe('states', () => {
  const starting = [replica('a', { state: 'starting' })]
  const waiting = [replica('a', { state: 'waiting' })]

  it.each([
    ['PENDING', waiting, 'wait'],
    ['PENDING', starting, 'STARTING'],
    ['STARTING', starting, 'wait'],
    ['STARTING', [replica('a')], 'RUNNING'],
    ['RUNNING', starting, 'STARTING'],
    ['RUNNING', [replica('a')], 'wait'],
  ] as const)('%s', (state, replicas, expected) => {
    const step = next({ state }, { replicas })
    expect(step.kind === 'enter' ? step.state : step.kind).toBe(expected)
  })

  it('is UPDATING until a change is carried out', () => {
    const change = { revision: 2, minReplicas: 2, desired: 2 }
    const replicas = [replica('a'), replica('b', { state: 'starting' })]
    const windows = paid('a', 'b')
    expect(next(change, { replicas, windows })).toMatchObject({ kind: 'enter', state: 'UPDATING' })
    expect(next({ ...change, state: 'UPDATING' }, { replicas, windows })).toMatchObject({ kind: 'wait' })
    const ready = [replica('a'), replica('b')]
    expect(next({ ...change, state: 'UPDATING' }, { replicas: ready, windows })).toEqual({ kind: 'applied' })
    const back = next({ ...change, appliedRevision: 2, state: 'UPDATING' }, { replicas: ready, windows })
    expect(back).toMatchObject({ kind: 'enter', state: 'RUNNING' })
  })

  it('fails after three failed starts, and after half an hour without hardware', () => {
    const failed = next({ state: 'STARTING', failedStarts: maxFailedStarts }, { replicas: [], windows: [] })
    expect(failed).toMatchObject({ kind: 'enter', state: 'FAILED' })
    const old = [replica('a', { state: 'waiting', createdAt: new Date(now.getTime() - maxWaitingMs) })]
    const step = next({ state: 'PENDING' }, { replicas: old })
    expect(step).toMatchObject({ kind: 'enter', state: 'FAILED', message: expect.stringContaining('no_capacity') })
  })

  it('scales to zero when nobody asks, unless it must not', () => {
    const idle = { traffic: { running: 0, waiting: 0, lastRequestAt: before(3_600), cacheUsed: 0 } }
    expect(next({}, idle)).toMatchObject({ kind: 'enter', state: 'SCALED_TO_ZERO' })
    expect(next({ stateAt: before(3_599) }, idle)).toMatchObject({ kind: 'wait' })
    expect(next({ scaleToZeroAfterS: null }, idle)).toMatchObject({ kind: 'wait' })
    expect(next({ minReplicas: 1 }, idle)).toMatchObject({ kind: 'wait' })
    expect(next({}, { traffic: { ...idle.traffic, running: 1 } })).toMatchObject({ kind: 'wait' })
  })

  it('wakes for a request that waits, and drains its replicas until then', () => {
    const asleep = { state: 'SCALED_TO_ZERO' } as const
    expect(next(asleep)).toMatchObject({ kind: 'drain', replicaId: 'a' })
    expect(next(asleep, { replicas: [], windows: [] })).toMatchObject({ kind: 'wait' })
    const woken = { replicas: [], windows: [], traffic: { ...quiet, waiting: 1 } }
    expect(next(asleep, woken)).toMatchObject({ kind: 'enter', state: 'STARTING' })
    expect(next({ ...asleep, minReplicas: 1 }, { replicas: [], windows: [] })).toMatchObject({ state: 'STARTING' })
  })

  it.each([
    ['user', 'STOPPED'],
    ['credit', 'STOPPED'],
    ['cap', 'STOPPED'],
    ['delete', 'DELETED'],
  ] as const)('stops for %s when its replicas have ended', (stoppingFor, state) => {
    const stopping = { state: 'STOPPING', stoppingFor } as const
    expect(next(stopping)).toMatchObject({ kind: 'drain', replicaId: 'a' })
    expect(next(stopping, { replicas: starting })).toMatchObject({ kind: 'end', replicaId: 'a', hasFailed: false })
    const draining = [replica('a', { state: 'draining', drainingAt: before(1) })]
    expect(next(stopping, { replicas: draining, windows: [] })).toMatchObject({ kind: 'wait' })
    expect(next(stopping, { replicas: [], windows: [] })).toMatchObject({ kind: 'enter', state })
  })

  it.each(['STOPPED', 'FAILED', 'DELETED'] as const)('starts nothing while it is %s', (state) => {
    expect(next({ state }, { replicas: [], windows: [] })).toMatchObject({ kind: 'wait' })
    expect(next({ state })).toMatchObject({ kind: 'drain' })
  })
})
