import { ServiceError } from '@ratchet/service-kit/http/service-error'
import { createGroupCommit } from '@ratchet/service-kit/timing/group-commit'
import { type OpenedKeys, type OpenProviderKeys, unusableProviders, usableKeys } from './open-provider-keys.ts'
import { lacksOwnName } from './own-names.ts'
import { createReadsForMisses, type Misses, type MissOptions, noMisses } from './reads-for-misses.ts'
import type { KnownRoutes, SettingsStore, StoredSettings } from './settings-store.ts'
import { defaultSettings, type SettingsSource, type WorkspaceSettings } from './workspace-settings.ts'

export interface SettingsCacheOptions {
  readonly store: SettingsStore
  readonly openKeys: OpenProviderKeys
  /** Milliseconds from any fixed point. */
  readonly clockMs: () => number
  /** Milliseconds since its last request for which a workspace is refreshed. */
  readonly usedLatelyMs?: number
  /** Maximum number of workspaces in memory. */
  readonly maxWorkspaces?: number
  /** Of reads for names that are not in memory. */
  readonly misses?: Pick<MissOptions, 'everyMs' | 'wait'>
}

export interface SettingsCache extends SettingsSource {
  /** Reads the settings of all recently used workspaces in one statement. */
  refresh(): Promise<void>
}

interface Entry {
  readonly settings: WorkspaceSettings
  readonly opened: OpenedKeys
  readonly aliasVersion: string
  readonly versionRevision: number
  lastUsedMs: number
  /** Shared with the entry that follows this one. */
  readonly state: { misses: Misses }
}

const nothingOpened: OpenedKeys = new Map()

/** The settings of a workspace without a row. */
const nothingStored: StoredSettings = { ...defaultSettings, storedKeys: [], aliasVersion: '', versionRevision: 0 }

/**
 * Settings in memory. A workspace's first request waits for them (those of one turn share a statement), later ones get
 * them at once. The caller of `refresh` decides how old they may be, but for new versions and endpoints: a request that names
 * one that is not in memory waits for the next read, because what the API calls ready must answer. While the database is
 * unavailable the last known settings are used.
 */
export function createSettingsCache(options: SettingsCacheOptions): SettingsCache {
  const { store, openKeys, clockMs, usedLatelyMs = 60_000, maxWorkspaces = 10_000, misses } = options
  /** In the order of their last read, so the least recently read comes first. */
  const entries = new Map<string, Entry>()

  function remember(workspaceId: string, stored: StoredSettings | undefined, readAtMs: number): Entry {
    const before = entries.get(workspaceId)
    const { storedKeys, aliasVersion, versionRevision, ...settings } = stored ?? nothingStored
    const opened = openKeys({ workspaceId, stored: storedKeys, known: before?.opened ?? nothingOpened })
    const entry: Entry = {
      settings: { ...settings, providerKeys: usableKeys(opened), unusableProviders: unusableProviders(opened) },
      opened,
      aliasVersion,
      versionRevision,
      lastUsedMs: before?.lastUsedMs ?? readAtMs,
      state: before?.state ?? { misses: noMisses },
    }
    entries.delete(workspaceId)
    entries.set(workspaceId, entry)
    const [oldest] = entries.keys()
    if (entries.size > maxWorkspaces && oldest !== undefined) entries.delete(oldest)
    return entry
  }

  function read(workspaceIds: readonly string[]): Promise<ReadonlyMap<string, StoredSettings>> {
    const known = new Map<string, KnownRoutes>()
    for (const id of workspaceIds) {
      const entry = entries.get(id)
      if (entry !== undefined) known.set(id, routesOf(entry))
    }
    return store.read(workspaceIds, known)
  }

  const batch = createGroupCommit({
    async run(workspaceIds: readonly string[]) {
      const distinct = [...new Set(workspaceIds)]
      const stored = await read(distinct)
      const loaded = new Map(distinct.map((id) => [id, remember(id, stored.get(id), clockMs())]))
      return workspaceIds.map((id) => loaded.get(id) ?? null)
    },
  })

  async function load(workspaceId: string): Promise<WorkspaceSettings> {
    try {
      const entry = await batch.add(workspaceId)
      if (entry === null) throw new RangeError(`no settings were read for ${workspaceId}`)
      entry.lastUsedMs = clockMs()
      return entry.settings
    } catch (cause) {
      const known = entries.get(workspaceId)
      if (known !== undefined) return known.settings
      throw unavailable(cause)
    }
  }

  const readAgain = createReadsForMisses({ load, clockMs, ...misses })

  return {
    of(workspaceId, names = []) {
      const entry = entries.get(workspaceId)
      const nowMs = clockMs()
      if (entry === undefined || nowMs - entry.lastUsedMs > usedLatelyMs) return load(workspaceId)
      entry.lastUsedMs = nowMs
      return lacksOwnName(entry.settings, names) ? readAgain(workspaceId, entry.state) : entry.settings
    },
    async refresh() {
      const nowMs = clockMs()
      const lately = [...entries].flatMap(([id, { lastUsedMs }]) => (nowMs - lastUsedMs <= usedLatelyMs ? [id] : []))
      if (lately.length === 0) return
      const stored = await read(lately)
      for (const id of lately) remember(id, stored.get(id), nowMs)
    },
  }
}

function routesOf({ settings: { aliases, versions, dedicated }, aliasVersion, versionRevision }: Entry): KnownRoutes {
  return { aliases, aliasVersion, versions, dedicated, versionRevision }
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError('service_unavailable', 'The settings of the workspace cannot be read at the moment.', {
    retryAfterSeconds: 1,
    cause,
  })
}
