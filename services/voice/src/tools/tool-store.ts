import type { SealedSecret } from '@ratchet/service-kit/identity/secret-box'
import type { StoredTool, ToolKey, ToolSettings } from './voice-tool.ts'

export interface NewTool extends ToolKey {
  readonly name: string
  readonly settings: ToolSettings
  readonly secrets: SealedSecret
  readonly userId: string
  readonly at: Date
}

export interface VoiceToolStore {
  /** `name`: another tool has the name. `full`: the workspace has as many as it may. */
  create(tool: NewTool): Promise<'created' | 'name' | 'full'>
  get(key: ToolKey): Promise<StoredTool | null>
  list(page: {
    readonly workspaceId: string
    /** Only those that this user created; null: all. */
    readonly userId: string | null
    readonly limit: number
    readonly offset: number
  }): Promise<{ readonly total: number; readonly tools: readonly StoredTool[] }>
  /** @returns `changed`: the present version is another one */
  update(
    tool: Pick<StoredTool, 'workspaceId' | 'id' | 'version'>,
    next: Omit<NewTool, keyof ToolKey | 'userId'>,
  ): Promise<'updated' | 'name' | 'changed'>
  /** @returns the names of up to five agents that use it, in their newest or published version; or what happened */
  delete(key: ToolKey): Promise<'deleted' | 'absent' | readonly string[]>
}
