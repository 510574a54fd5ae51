import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { readAuditLog } from '@ratchet/db/audit-log'
import type { Pool } from '@ratchet/db/connect-pool'
import { type AdminCommands, type AdminDeps, workspaceOf } from '../admin/admin-commands.ts'
import type { Answer } from '../answer.ts'
import { CliError } from '../cli-error.ts'
import { parseSlug } from '../parse-options.ts'

interface Options {
  readonly workspace: string
  readonly out: string
}

export function exportAuditLog({ admin, run }: AdminCommands): void {
  admin
    .command('export')
    .description('Write the log of what was changed in a workspace, and by whom, one entry a line, oldest first.')
    .requiredOption('--workspace <slug>', 'its workspace', parseSlug)
    .requiredOption('--out <file>', 'a new file')
    .action((options: Options) => run((deps) => work(deps, options)))
}

async function work(deps: AdminDeps, { workspace: slug, out }: Options): Promise<Answer> {
  const { id } = await workspaceOf(deps, slug)
  const count = { entries: 0 }
  try {
    await pipeline(Readable.from(lines(deps.pool, id, count)), createWriteStream(out, { flags: 'wx', mode: 0o600 }))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new CliError(`--out: ${out} exists already`, { cause: error })
  }
  const { entries } = count
  return {
    json: { workspace: slug, file: out, entries },
    text: `${entries} entries are in ${out}`,
    note: `\`ratchet admin audit-log verify ${out}\` checks them without a database.`,
  }
}

async function* lines(pool: Pool, workspaceId: string, count: { entries: number }): AsyncGenerator<string, void> {
  for await (const entry of readAuditLog(pool, workspaceId)) {
    count.entries += 1
    yield `${JSON.stringify(entry)}\n`
  }
}
