import type { OwnAuditAction } from '@ratchet/contracts/dashboard/audit'
import { createChangeLog } from '@ratchet/db/change-log'
import { operatorRequest } from '@ratchet/db/operator-audit'
import { CliError } from '../cli-error.ts'
import { type AdminDeps, newRow } from './admin-commands.ts'

export interface OperatorChange<T> {
  readonly workspaceId: string
  readonly action: OwnAuditAction
  /** An id, a name, or a provider. */
  readonly subject: string
  readonly make: () => Promise<T>
  /** What the entry says of what was made, without a secret and without an e-mail address; null: nothing was changed. */
  readonly madeOf: (result: T) => object | null
}

/**
 * Makes a change of a workspace for an operator, with its entry in the sealed log. That it begins is stored before, so that
 * there is no change without an entry, also when this process is stopped. A refusal leaves none, another failure
 * an entry with an unknown outcome.
 */
export async function recordingOperator<T>(
  deps: Pick<AdminDeps, 'pool' | 'now'>,
  { workspaceId, action, subject, make, madeOf }: OperatorChange<T>,
): Promise<T> {
  const log = createChangeLog(deps.pool)
  const { id, at } = newRow(deps)
  const by = { userId: null, keyId: null, requestId: operatorRequest }
  await log.begin({ id, workspaceId, action, subject, ...by, at })
  const end = (made: object | null) => log.end({ id, workspaceId, subject: null, made })
  const result = await make().catch(async (error: unknown) => {
    await end(error instanceof CliError ? null : { outcome: 'unknown' })
    throw error
  })
  await end(madeOf(result))
  return result
}
