import { findUser, findWorkspace } from '@ratchet/db/operator'
import { uuidV7 } from '@ratchet/service-kit/values/ids'
import type { Command } from 'commander'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import type { CliIo } from '../cli-io.ts'
import type { Database, DatabaseOptions } from '../with-database.ts'

/** Parameters of an admin command. */
export type AdminDeps = Database & Pick<CliIo, 'env' | 'stdin' | 'stderr' | 'now' | 'randomBytes' | 'sleep'>

/** The group that an admin command is added to, and a function that runs it with a database and prints its answer. */
export interface AdminCommands {
  readonly admin: Command
  readonly run: (work: (deps: AdminDeps) => Promise<Answer>, database?: DatabaseOptions) => Promise<void>
}

/** A new id and the current time, for a row. */
export function newRow({ now }: Pick<AdminDeps, 'now'>): { id: string; at: Date } {
  const at = now()
  return { id: uuidV7(at.getTime()), at }
}

/** @throws CliError for an unknown workspace */
export async function workspaceOf(
  { db }: AdminDeps,
  slug: string,
): Promise<{ id: string; slug: string; ledger: string }> {
  const workspace = await findWorkspace(db, slug)
  if (workspace === null) throw new CliError(`--workspace: there is no workspace ${slug}`)
  return workspace
}

/** @throws CliError for an unknown user */
export async function userOf({ db }: AdminDeps, email: string): Promise<{ id: string }> {
  const user = await findUser(db, email)
  if (user === null) throw new CliError(`--email: there is no user ${email}; \`ratchet admin create-user\` creates one`)
  return user
}
