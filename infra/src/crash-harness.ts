import path from 'node:path'
import { repositoryRoot } from './data-paths.ts'
import { postgresBinaries } from './postgres-binaries.ts'
import { postgresUser } from './postgres-user.ts'

/**
 * The words that run the ledger's crash harness. It starts a Postgres of its own, so where root's Postgres needs a right
 * to reach this folder, the harness as a whole runs with it.
 */
export function crashHarnessCommand(args: readonly string[]): { command: string; args: readonly string[] } {
  const { prefix } = postgresUser(postgresBinaries().postgres, repositoryRoot)
  const script = path.join(repositoryRoot, 'services/inference/crash/run.ts')
  const [command = process.execPath, ...rest] = [...prefix, process.execPath, script, ...args]
  return { command, args: rest }
}
