import type { CreateVoiceTool } from '@ratchet/contracts/voice/tools'
import type { SealedSecret } from '@ratchet/service-kit/identity/secret-box'

export type JsonObject = Readonly<Record<string, unknown>>

/** Everything of a tool that may be shown, but its name. */
export interface ToolSettings extends Omit<CreateVoiceTool, 'name' | 'http'> {
  readonly http: {
    readonly url: string
    readonly method: 'POST'
    readonly headers: Readonly<Record<string, string>>
    readonly timeout_ms: number
    /** Their values are sealed; see {@link ToolSecrets}. */
    readonly secret_header_names: readonly string[]
  }
}

/** What is sealed of a tool. */
export interface ToolSecrets {
  /** Values of headers by their names. */
  readonly headers: Readonly<Record<string, string>>
  /** `whsec_…`; signs calls as Standard Webhooks describes. */
  readonly signing: string
}

export interface ToolKey {
  readonly workspaceId: string
  /** UUID. */
  readonly id: string
}

export interface StoredTool extends ToolKey {
  /** Who created it. */
  readonly userId: string
  readonly name: string
  readonly version: number
  readonly settings: ToolSettings
  readonly secrets: SealedSecret
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** Most tools of a workspace. */
export const maxTools = 500
