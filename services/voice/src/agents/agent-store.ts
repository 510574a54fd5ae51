import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import type { AgentKey, Owner, StoredAgent, StoredVersion } from './agent.ts'

export interface NewAgentVersion {
  /** UUIDs of the version and of the audit entry. */
  readonly versionId: string
  readonly eventId: string
  readonly spec: AgentSpec
  readonly sha256: string
  readonly userId: string
  /** The user who must have created its tools; null: anybody of the workspace. */
  readonly toolOwner: string | null
  readonly at: Date
}

export interface Page {
  readonly limit: number
  readonly offset: number
}

export interface AgentStore {
  /**
   * Creates an agent and publishes its first version.
   *
   * @returns `full`: the workspace has as many as it may; `no_tool`: a tool does not exist any more
   */
  create(agent: AgentKey & NewAgentVersion): Promise<'created' | 'full' | 'no_tool'>
  get(key: AgentKey): Promise<StoredAgent | null>
  /** @param userId only those that this user created; null: all */
  list(
    owner: Owner,
    page: Page & { readonly userId: string | null },
  ): Promise<{ readonly total: number; readonly agents: readonly StoredAgent[] }>
  /** Makes the next version. @returns `changed`: `after` is not the newest version any more */
  addVersion(
    key: AgentKey,
    next: NewAgentVersion & { readonly after: number; readonly publish: boolean },
  ): Promise<'added' | 'changed' | 'no_tool'>
  versions(key: AgentKey, page: Page): Promise<{ readonly total: number; readonly versions: readonly StoredVersion[] }>
  version(key: AgentKey, version: number): Promise<StoredVersion | null>
  /** @returns false when the version does not exist */
  publish(key: AgentKey, change: AgentChange & { readonly version: number }): Promise<boolean>
  /** @returns `busy`: calls of it wait or are under way */
  delete(key: AgentKey, change: AgentChange): Promise<'deleted' | 'absent' | 'busy'>
}

export interface AgentChange {
  readonly eventId: string
  readonly userId: string
  readonly at: Date
}
