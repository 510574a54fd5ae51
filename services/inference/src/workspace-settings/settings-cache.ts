import { createGroupCommit } from '@ratchet/service-kit/group-commit'
import { ServiceError } from '@ratchet/service-kit/service-error'
import { type OpenedKeys, type OpenProviderKeys, unusableProviders, usableKeys } from './open-provider-keys.ts'
import type { SettingsStore, StoredSettings } from './settings-store.ts'
import { defaultSettings, type SettingsSource, type WorkspaceSettings } from './workspace-settings.ts'

export interface SettingsCacheOptions {
  readonly store: SettingsStore
  readonly openKeys: OpenProviderKeys
  /** Milliseconds, from any fixed point. */
  readonly clockMs: () => number
  /** Milliseconds since its last request for which a workspace is kept up to date. */
  readonly usedLatelyMs?: number
  /** Most workspaces to remember. */
  readonly maxWorkspaces?: number
}

export interface SettingsCache extends SettingsSource {
  /** Reads the settings of all workspaces that were used lately, in one statement. */
  refresh(): Promise<void>
}

interface Entry {
  readonly settings: WorkspaceSettings
  readonly opened: OpenedKeys
  lastUsedMs: number
}

const nothingOpened: OpenedKeys = new Map()

/** A workspace that has chosen nothing. */
const nothingStored: StoredSettings = { ...defaultSettings, storedKeys: [] }

/**
 * Settings at hand: a workspace's first request waits for them (those of one turn share a statement), later ones get
 * them at once, and whoever calls `refresh` decides how old they may be. While the database is away the last known
 * ones go on serving.
 */
export function createSettingsCache(options: SettingsCacheOptions): SettingsCache {
  const { store, openKeys, clockMs, usedLatelyMs = 60_000, maxWorkspaces = 10_000 } = options
  /** In the order of their last reading, so what has not been used for longest comes first. */
  const entries = new Map<string, Entry>()

  function keep(workspaceId: string, stored: StoredSettings | undefined, readAtMs: number): Entry {
    const before = entries.get(workspaceId)
    const { storedKeys, ...settings } = stored ?? nothingStored
    const opened = openKeys({ workspaceId, stored: storedKeys, known: before?.opened ?? nothingOpened })
    const entry: Entry = {
      settings: { ...settings, providerKeys: usableKeys(opened), unusableProviders: unusableProviders(opened) },
      opened,
      lastUsedMs: before?.lastUsedMs ?? readAtMs,
    }
    entries.delete(workspaceId)
    entries.set(workspaceId, entry)
    const [oldest] = entries.keys()
    if (entries.size > maxWorkspaces && oldest !== undefined) entries.delete(oldest)
    return entry
  }

  const batch = createGroupCommit({
    async run(workspaceIds: readonly string[]) {
      const distinct = [...new Set(workspaceIds)]
      const stored = await store.read(distinct)
      const kept = new Map(distinct.map((id) => [id, keep(id, stored.get(id), clockMs())]))
      return workspaceIds.map((id) => kept.get(id) ?? null)
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

  return {
    of(workspaceId) {
      const entry = entries.get(workspaceId)
      const nowMs = clockMs()
      if (entry === undefined || nowMs - entry.lastUsedMs > usedLatelyMs) return load(workspaceId)
      entry.lastUsedMs = nowMs
      return entry.settings
    },
    async refresh() {
      const nowMs = clockMs()
      const lately = [...entries].flatMap(([id, { lastUsedMs }]) => (nowMs - lastUsedMs <= usedLatelyMs ? [id] : []))
      if (lately.length === 0) return
      const stored = await store.read(lately)
      for (const id of lately) keep(id, stored.get(id), nowMs)
    },
  }
}

function unavailable(cause: unknown): ServiceError {
  return new ServiceError('service_unavailable', 'The settings of the workspace cannot be read at the moment.', {
    retryAfterSeconds: 1,
    cause,
  })
}
