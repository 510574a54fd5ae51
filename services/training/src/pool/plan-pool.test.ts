import { type PlannedPool, planPool } from './plan-pool.ts'
import type { AdapterState, PoolReplica, PoolVersion } from './pool.ts'

const now = new Date('2026-11-30T12:00:00Z')
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000)

const version = (id: string, usedSecondsAgo: number): PoolVersion => ({
  id,
  workspaceId: 'w',
  baseModel: 'sim/small',
  adapter: `mv_${id}`,
  usedAt: ago(usedSecondsAgo),
})

const replica = (
  name: string,
  adapters: Readonly<Record<string, AdapterState>> = {},
  sinceSeconds = 5,
): PoolReplica => ({
  name,
  baseModel: 'sim/small',
  address: 'http://engine',
  state: 'ready',
  adapters: Object.entries(adapters).map(([versionId, state]) => {
    return { versionId, workspaceId: 'w', adapter: `mv_${versionId}`, state, since: ago(sinceSeconds) }
  }),
})

function plan(pool: Partial<PlannedPool>) {
  const { loads, leaves, returns } = planPool({ replicas: [], versions: [], maxAdapters: 3, copies: 1, now, ...pool })
  const names = (moves: typeof loads) => moves.map((move) => `${move.version.id}@${move.replica}`)
  return { loads: names(loads), leaves: names(leaves), returns: names(returns) }
}

const nothing = { loads: [], leaves: [], returns: [] }

it('gives each version an engine, and spreads them', () => {
  const versions = [version('a', 0), version('b', 1), version('c', 2)]
  const replicas = [replica('1'), replica('2')]
  expect(plan({ replicas, versions })).toEqual({ ...nothing, loads: ['a@1', 'b@2', 'c@1'] })
})

it('gives a second engine only what fits beside a free place', () => {
  const versions = [version('a', 100), version('b', 200)]
  const replicas = [replica('1', { a: 'ready' }), replica('2', { b: 'ready' })]
  expect(plan({ replicas, versions, copies: 2 })).toEqual({ ...nothing, loads: ['a@2', 'b@1'] })
  expect(plan({ replicas, versions, copies: 2, maxAdapters: 2 })).toEqual(nothing)
})

it('changes nothing while all is as it should be', () => {
  const replicas = [replica('1', { a: 'ready', b: 'loading' })]
  expect(plan({ replicas, versions: [version('a', 100), version('b', 5)] })).toEqual(nothing)
})

it('loads a version that is asked for into the free place, and then makes a place free again', () => {
  const versions = [version('a', 300), version('b', 200), version('c', 1)]
  const replicas = [replica('1', { a: 'ready', b: 'ready' })]
  expect(plan({ replicas, versions })).toEqual({ ...nothing, loads: ['c@1'], leaves: ['a@1'] })
})

it('loads nothing for versions that nobody asks for when there is no room beside the free place', () => {
  const versions = [version('a', 300), version('b', 200), version('c', 400)]
  expect(plan({ replicas: [replica('1', { a: 'ready', b: 'ready' })], versions })).toEqual(nothing)
})

it('takes a copy before the only one, and nothing that was used in the last ten seconds', () => {
  const versions = [version('a', 100), version('b', 300), version('c', 5), version('d', 1)]
  const replicas = [replica('1', { a: 'ready', c: 'ready' }), replica('2', { a: 'ready', b: 'ready' })]
  expect(plan({ replicas, versions, maxAdapters: 2 }).leaves).toEqual(['a@1', 'b@2'])
  const busy = [version('a', 1), version('b', 2), version('c', 0)]
  expect(plan({ replicas: [replica('1', { a: 'ready', b: 'ready' })], versions: busy, maxAdapters: 2 })).toEqual(
    nothing,
  )
})

it('gives up what is not served any more', () => {
  const replicas = [replica('1', { a: 'ready', b: 'failed', c: 'leaving' })]
  expect(plan({ replicas })).toEqual({ ...nothing, leaves: ['a@1', 'b@1'] })
})

it('keeps a version that is asked for again while it leaves', () => {
  const replicas = [replica('1', { a: 'leaving' })]
  expect(plan({ replicas, versions: [version('a', 1)] })).toEqual({ ...nothing, returns: ['a@1'] })
})

it('tries another engine after a failure, and the same one after a minute', () => {
  const versions = [version('a', 1)]
  const failed = replica('1', { a: 'failed' })
  expect(plan({ replicas: [failed, replica('2')], versions })).toEqual({ ...nothing, loads: ['a@2'] })
  expect(plan({ replicas: [failed], versions })).toEqual(nothing)
  expect(plan({ replicas: [replica('1', { a: 'failed' }, 61)], versions })).toEqual({ ...nothing, loads: ['a@1'] })
})

it('plans a thousand versions on a hundred engines in less than a tenth of a second of the processor', () => {
  const versions = Array.from({ length: 1_000 }, (_, index) => version(`v${index}`, index))
  const replicas = Array.from({ length: 100 }, (_, index) => replica(`r${index}`))
  const started = process.cpuUsage()
  const { loads } = plan({ replicas, versions, maxAdapters: 16, copies: 2 })
  const { user } = process.cpuUsage(started)
  expect(loads.length).toBe(1_500)
  expect(user).toBeLessThan(100_000)
})
