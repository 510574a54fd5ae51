import type { AgentSpec } from '@ratchet/contracts/voice/agents'

/** Whose rows a request may see and change. */
export interface Owner {
  readonly workspaceId: string
}

export interface AgentKey extends Owner {
  /** UUID. */
  readonly id: string
}

/** An agent with its newest version. */
export interface StoredAgent extends AgentKey {
  /** Who created it. */
  readonly userId: string
  readonly version: number
  readonly publishedVersion: number | null
  /** Of its last canary. */
  readonly canaryVersion: number | null
  readonly spec: AgentSpec
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface StoredVersion {
  /** UUID. */
  readonly id: string
  readonly agentId: string
  readonly version: number
  readonly spec: AgentSpec
  readonly sha256: string
  readonly createdBy: string
  readonly createdAt: Date
}

/** Most agents of a workspace. */
export const maxAgents = 1_000
