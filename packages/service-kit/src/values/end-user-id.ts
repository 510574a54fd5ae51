import { deterministicId } from './deterministic-id.ts'

/** The number by which the ledger knows an end user of a workspace: the same in every process. */
export function endUserId(workspaceId: string, name: string): string {
  return deterministicId('end-user', workspaceId, name)
}
