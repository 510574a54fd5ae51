import { findApiKey, revokeApiKey } from '@ratchet/db/operator'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { parseId } from '../parse-options.ts'
import type { AdminCommands, AdminDeps } from './admin-commands.ts'
import { recordingOperator } from './record-operator.ts'

export function revokeKey({ admin, run }: AdminCommands): void {
  admin
    .command('revoke-key')
    .description('Revoke an API key. Requests that start afterwards are refused.')
    .argument('<id>', 'its id, as create-key and list-keys print it', parseId)
    .action((id: string) => run((deps) => work(deps, id)))
}

async function work(deps: AdminDeps, id: string): Promise<Answer> {
  const { db, now } = deps
  const key = await findApiKey(db, id)
  if (key === null) throw new CliError(`<id>: there is no key ${id}`)
  const wasLive = await recordingOperator(deps, {
    workspaceId: key.workspaceId,
    action: 'key.revoked',
    subject: id,
    make: () => revokeApiKey(db, { id, at: now() }),
    madeOf: (isChanged) => (isChanged ? { display: key.display } : null),
  })
  const revokedAt = (await findApiKey(db, id))?.revokedAt?.toISOString()
  return {
    json: { id, revoked_at: revokedAt, was_live: wasLive },
    text: wasLive ? `revoked ${key.display}…` : `${key.display}… was already revoked at ${revokedAt}`,
  }
}
