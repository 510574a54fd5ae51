import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { createSettingsCache, type SettingsCacheOptions } from './settings-cache.ts'
import type { SettingsStore, StoredSettings } from './settings-store.ts'
import { defaultSettings } from './workspace-settings.ts'

const stored: StoredSettings = { ...defaultSettings, storedKeys: [], aliasVersion: '', versionRevision: 0 }

function fixture(options: Partial<SettingsCacheOptions> = {}) {
  const rows = new Map<string, StoredSettings>()
  const reads: string[][] = []
  const state = { nowMs: 0, isUnavailable: false }
  const store: SettingsStore = {
    async read(workspaceIds) {
      reads.push([...workspaceIds])
      if (state.isUnavailable) throw new Error('ECONNREFUSED')
      return new Map([...rows].filter(([id]) => workspaceIds.includes(id)))
    },
  }
  const openKeys: SettingsCacheOptions['openKeys'] = () => new Map()
  const cache = createSettingsCache({ store, openKeys, clockMs: () => state.nowMs, ...options })
  return { cache, rows, reads, state }
}

it('loads a workspace at its first request and keeps it in memory', async () => {
  const { cache, rows, reads } = fixture()
  rows.set('a', { ...stored, loggingEnabled: true })
  const first = cache.of('a')
  expect(first).toBeInstanceOf(Promise)
  expect(await first).toEqual({ ...defaultSettings, loggingEnabled: true })
  expect(cache.of('a')).toEqual({ ...defaultSettings, loggingEnabled: true })
  expect(reads).toEqual([['a']])
})

it('gives a workspace without a row the defaults, and keeps them', async () => {
  const { cache, reads } = fixture()
  expect(await cache.of('a')).toEqual(defaultSettings)
  expect(cache.of('a')).toEqual(defaultSettings)
  expect(reads).toHaveLength(1)
})

it('shares one statement among the requests of a turn', async () => {
  const { cache, reads } = fixture()
  await Promise.all([cache.of('a'), cache.of('b'), cache.of('a'), cache.of('c')])
  expect(reads).toEqual([['a', 'b', 'c']])
})

it('refreshes in one statement, and only what was used recently', async () => {
  const { cache, rows, reads, state } = fixture({ usedLatelyMs: 60_000 })
  await Promise.all([cache.of('busy'), cache.of('idle'), cache.of('also busy')])
  state.nowMs = 59_000
  void cache.of('busy')
  void cache.of('also busy')
  state.nowMs = 61_000
  rows.set('busy', { ...stored, responseCache: true })
  await cache.refresh()
  expect(reads.at(-1)?.sort()).toEqual(['also busy', 'busy'])
  expect(cache.of('busy')).toEqual({ ...defaultSettings, responseCache: true })
})

it('reads nothing when nothing was used', async () => {
  const { cache, reads } = fixture()
  await cache.refresh()
  expect(reads).toEqual([])
})

it('loads again what was not used for a while, instead of returning something old', async () => {
  const { cache, rows, state } = fixture({ usedLatelyMs: 60_000 })
  await cache.of('a')
  rows.set('a', { ...stored, loggingEnabled: true })
  state.nowMs = 60_001
  expect(await cache.of('a')).toMatchObject({ loggingEnabled: true })
  expect(cache.of('a')).toMatchObject({ loggingEnabled: true })
})

it('returns the defaults when a workspace’s row is deleted', async () => {
  const { cache, rows } = fixture()
  rows.set('a', { ...stored, loggingEnabled: true })
  await cache.of('a')
  rows.delete('a')
  await cache.refresh()
  expect(cache.of('a')).toEqual(defaultSettings)
})

describe('a version that became ready since the last read', () => {
  const [name, other] = ['ft:acme/base:team:support:k3m7q2xa', 'ft:acme/base:team:support:zzzzzzzz']
  const version = { id: 'v', name, baseModel: 'acme/base', servedAs: 'acme/x', pool: null, createdAt: new Date(0) }
  const ready = { ...stored, versions: new Map([[name, version]]), versionRevision: 1 }

  function waiting() {
    const waits: { readonly ms: number; readonly end: () => void }[] = []
    const wait = (ms: number) => (ms === 0 ? Promise.resolve() : new Promise<void>((end) => waits.push({ ms, end })))
    return { ...fixture({ misses: { everyMs: 250, wait } }), waits }
  }

  it('is there for the first request that names it, which reads the settings again', async () => {
    const { cache, rows, reads } = waiting()
    await cache.of('a')
    rows.set('a', ready)
    const [named] = await Promise.all([cache.of('a', ['acme/fast', name]), cache.of('a', [undefined, name])])
    expect(named.versions.get(name)).toBe(version)
    expect(cache.of('a', [name])).toMatchObject({ versions: ready.versions })
    expect(reads).toHaveLength(2)
  })

  it('is there although another unknown name was read just before: the request waits for the next read', async () => {
    const { cache, rows, reads, state, waits } = waiting()
    await cache.of('a')
    expect((await cache.of('a', [name])).versions.size).toBe(0)
    state.nowMs = 100
    const named = Array.from({ length: 50 }, (_, index) => cache.of('a', [index === 7 ? other : name]))
    rows.set('a', ready)
    expect(waits.map(({ ms }) => ms)).toEqual([150])
    state.nowMs = 250
    waits[0]?.end()
    for (const settings of await Promise.all(named)) expect(settings.versions.get(name)).toBe(version)
    expect(reads).toHaveLength(3)
  })

  it('is looked for in its workspace only, and other names are not looked for', async () => {
    const { cache, reads } = waiting()
    await Promise.all([cache.of('a'), cache.of('b')])
    await cache.of('a', [name])
    await cache.of('b', ['dedicated/support-k3m7q2'])
    expect(cache.of('a', ['acme/fast', 7, null])).toEqual(defaultSettings)
    expect(reads).toEqual([['a', 'b'], ['a'], ['b']])
  })

  it('is unknown while the database is unavailable, and does not fail the request', async () => {
    const { cache, state } = waiting()
    await cache.of('a')
    state.isUnavailable = true
    expect(await cache.of('a', [name])).toEqual(defaultSettings)
  })
})

describe('while the database is unavailable', () => {
  it('returns the last known settings, even after a long time', async () => {
    const { cache, rows, state } = fixture({ usedLatelyMs: 60_000 })
    rows.set('a', { ...stored, loggingEnabled: true })
    await cache.of('a')
    state.isUnavailable = true
    await expect(cache.refresh()).rejects.toThrow('ECONNREFUSED')
    expect(cache.of('a')).toMatchObject({ loggingEnabled: true })
    state.nowMs = 3_600_000
    expect(await cache.of('a')).toMatchObject({ loggingEnabled: true })
  })

  it('fails with service_unavailable and Retry-After 1 for an unknown workspace, and recovers', async () => {
    const { cache, state } = fixture()
    state.isUnavailable = true
    const failure = await Promise.resolve(cache.of('a')).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ServiceError)
    expect(failure).toMatchObject({ code: 'service_unavailable', headers: { 'retry-after': '1' } })
    state.isUnavailable = false
    expect(await cache.of('a')).toEqual(defaultSettings)
  })
})

it('keeps a limited number of workspaces and drops those that were read longest ago', async () => {
  const { cache, reads } = fixture({ maxWorkspaces: 2 })
  for (const id of ['a', 'b', 'c']) await cache.of(id)
  expect(cache.of('c')).toEqual(defaultSettings)
  expect(cache.of('b')).toEqual(defaultSettings)
  await cache.of('a')
  expect(reads).toEqual([['a'], ['b'], ['c'], ['a']])
})
