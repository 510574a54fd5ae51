import { findApiKey, revokeApiKey } from '@ratchet/db/operator'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { parseId } from '../parse-options.ts'
import type { AdminCommands, AdminDeps } from './admin-commands.ts'

export function revokeKey({ admin, run }: AdminCommands): void {
  admin
    .command('revoke-key')
    .description('Revoke an API key. Requests that start afterwards are refused.')
    .argument('<id>', 'its id, as create-key and list-keys print it', parseId)
    .action((id: string) => run((deps) => work(deps, id)))
}

async function work({ db, now }: AdminDeps, id: string): Promise<Answer> {
  const wasLive = await revokeApiKey(db, { id, at: now() })
  const key = await findApiKey(db, id)
  if (key === null) throw new CliError(`<id>: there is no key ${id}`)
  const revokedAt = key.revokedAt?.toISOString()
  return {
    json: { id, revoked_at: revokedAt, was_live: wasLive },
    text: wasLive ? `revoked ${key.display}…` : `${key.display}… was already revoked at ${revokedAt}`,
  }
}
