import type { NotifyLive } from '@ratchet/work-kit/live/live-notifier'
import type { CanaryStore } from '../gate/pg-canary.ts'
import type { StoredAlias } from './alias.ts'
import type { AliasStore } from './pg-aliases.ts'

/** Says that an alias or what its gate knows has changed, for its page and the list of aliases. Never how. */
export type NotifyAlias = (alias: Pick<StoredAlias, 'workspaceId'> & { readonly name: string }) => void

/**
 * These notices are sent in the background: a change of an alias does not depend on Redis.
 *
 * @param now gives the version of a notice
 */
export function createNotifyAlias(notify: NotifyLive, now: () => Date): NotifyAlias {
  return ({ workspaceId, name }) => {
    const version = now().getTime()
    void notify(workspaceId, { topic: `alias:${name}`, id: name, version })
    void notify(workspaceId, { topic: 'aliases', id: name, version })
  }
}

/** Each notice is sent after the transaction; a change that came too late changes nothing. */
export function withAliasNotices(aliases: AliasStore, notify: NotifyAlias): AliasStore {
  return {
    ...aliases,
    async save(change) {
      const isSaved = await aliases.save(change)
      const { workspaceId, settings } = change.alias
      if (isSaved) notify({ workspaceId, name: settings.name })
      return isSaved
    },
    async delete(alias, event) {
      const isDeleted = await aliases.delete(alias, event)
      if (isDeleted) notify({ workspaceId: event.workspaceId, name: event.aliasName })
      return isDeleted
    },
  }
}

/** What a gate found, and a gate that begins again because its judge was changed. */
export function withGateNotices(canary: CanaryStore, notify: NotifyAlias): CanaryStore {
  const notified = async ({ workspaceId, settings }: StoredAlias, isSaved: Promise<boolean>) => {
    if (await isSaved) notify({ workspaceId, name: settings.name })
    return isSaved
  }
  return {
    ...canary,
    restart: (alias, restarted) => notified(alias, canary.restart(alias, restarted)),
    saveEvaluation: (alias, evaluation) => notified(alias, canary.saveEvaluation(alias, evaluation)),
  }
}
