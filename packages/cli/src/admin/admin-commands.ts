import { findUser, findWorkspace } from '@ratchet/db/operator'
import { uuidV7 } from '@ratchet/service-kit/ids'
import type { Command } from 'commander'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import type { CliIo } from '../cli-io.ts'
import type { Database, DatabaseOptions } from '../with-database.ts'

/** What an admin command works with. */
export type AdminDeps = Database & Pick<CliIo, 'env' | 'stdin' | 'stderr' | 'now' | 'randomBytes'>

/** Where an admin command is added, and how its work gets a database and its answer is printed. */
export interface AdminCommands {
  readonly admin: Command
  readonly run: (work: (deps: AdminDeps) => Promise<Answer>, database?: DatabaseOptions) => Promise<void>
}

/** A fresh id and the time it was made at, for a row. */
export function newRow({ now }: Pick<AdminDeps, 'now'>): { id: string; at: Date } {
  const at = now()
  return { id: uuidV7(at.getTime()), at }
}

/** @throws CliError when there is no such workspace. */
export async function workspaceOf({ db }: AdminDeps, slug: string): Promise<{ id: string; slug: string }> {
  const workspace = await findWorkspace(db, slug)
  if (workspace === null) throw new CliError(`--workspace: there is no workspace ${slug}`)
  return workspace
}

/** @throws CliError when there is no such user. */
export async function userOf({ db }: AdminDeps, email: string): Promise<{ id: string }> {
  const user = await findUser(db, email)
  if (user === null) throw new CliError(`--email: there is no user ${email}; \`ratchet admin create-user\` makes one`)
  return user
}
