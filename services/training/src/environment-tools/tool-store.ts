import type { EnvironmentToolKind } from '@ratchet/contracts/environment-tools'
import type { SealedSecret } from '@ratchet/service-kit/identity/secret-box'
import type { Recording, ShownTool, StoredTool, ToolKey, ToolSettings } from './environment-tool.ts'

export interface NewVersion {
  readonly versionId: string
  readonly settings: ToolSettings
  readonly secrets: SealedSecret | null
  readonly at: Date
}

export interface NewTool extends ToolKey, NewVersion {
  readonly createdBy: string
  /** Empty unless it is recorded. */
  readonly recordings: readonly Recording[]
}

export interface ToolFilter {
  readonly workspaceId: string
  readonly kind?: EnvironmentToolKind | undefined
  readonly limit: number
  readonly offset: number
}

export interface ToolStore {
  /** `name`: another tool has the name. `full`: the workspace has the maximum number of tools. */
  create(tool: NewTool): Promise<'created' | 'name' | 'full'>
  get(tool: ToolKey): Promise<ShownTool | null>
  list(filter: ToolFilter): Promise<{ readonly total: number; readonly tools: readonly ShownTool[] }>
  /**
   * Makes the next version. Versions before it that no run has are forgotten.
   *
   * @returns `changed`: the present version is another one; it can be tried again
   */
  update(tool: StoredTool, next: NewVersion): Promise<'updated' | 'name' | 'changed'>
  delete(tool: ToolKey): Promise<'deleted' | 'in_use' | 'absent'>
}
