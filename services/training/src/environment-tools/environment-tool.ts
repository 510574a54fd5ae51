import type { EnvironmentToolKind, ToolStats } from '@ratchet/contracts/environment-tools'
import type { ToolFromTraces } from '@ratchet/contracts/environment-tools-body'
import type { SealedSecret } from '@ratchet/service-kit/identity/secret-box'

export type JsonObject = Readonly<Record<string, unknown>>

export interface HttpSettings {
  readonly url: string
  readonly method: 'POST'
  readonly headers: Readonly<Record<string, string>>
  /** Their values are sealed; see {@link ToolSecrets}. */
  readonly secretHeaderNames: readonly string[]
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly maxConcurrency: number
  readonly retries: number
}

export interface StaticSettings {
  /** A JSON text in each `result`, because every JSON value is a result, null too. */
  readonly cases: readonly { readonly when: JsonObject; readonly result: string }[]
  /** For every other call; null: a miss. */
  readonly otherwise: string | null
}

export interface RecordedSettings {
  readonly toolName: string
  readonly match: ToolFromTraces['match']
  readonly keyArguments: readonly string[]
  readonly ignoreArguments: readonly string[]
  readonly onMiss: ToolFromTraces['onMiss']
  readonly recordings: number
  readonly coverageOnHoldout: number | null
}

/** Everything of a version that may be shown. */
export interface ToolSettings {
  readonly name: string
  readonly description: string
  readonly parameters: JsonObject
  readonly kind: EnvironmentToolKind
  readonly http: HttpSettings | null
  readonly static: StaticSettings | null
  readonly recorded: RecordedSettings | null
  readonly usableAs: readonly ('tool' | 'reward')[]
  readonly sideEffects: boolean
  readonly maxCallsPerRollout: number
}

/** What is sealed of a version with an address. */
export interface ToolSecrets {
  /** Values of headers by their names. */
  readonly headers: Readonly<Record<string, string>>
  /** `whsec_…` */
  readonly signing: string
}

export interface ToolKey {
  readonly workspaceId: string
  /** UUID. */
  readonly id: string
}

/** A version of a tool, as a run keeps it. */
export interface ToolVersion {
  readonly workspaceId: string
  /** UUID of the tool. */
  readonly toolId: string
  /** UUID of the version. */
  readonly versionId: string
  readonly version: number
  readonly settings: ToolSettings
  /** Null when nothing is called. */
  readonly secrets: SealedSecret | null
}

/** A tool with its newest version. */
export interface StoredTool extends ToolVersion {
  readonly createdAt: Date
  readonly updatedAt: Date
}

export interface ShownTool extends StoredTool {
  readonly stats: ToolStats
}

/** A distinct call that was recorded, with its answer. */
export interface Recording {
  /** SHA-256 of what is compared, in hex. */
  readonly key: string
  /** What is compared, as text: for `nearest`. */
  readonly compared: string
  /** JSON text of the arguments of one of the calls. */
  readonly arguments: string
  readonly result: string
  /** How many calls had this answer. */
  readonly seen: number
}

/** Tools of a workspace. */
export const maxTools = 200
