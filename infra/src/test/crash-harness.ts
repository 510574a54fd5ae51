import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { postgresBinaries } from '../stores/postgres-binaries.ts'
import { postgresUser } from '../stores/postgres-user.ts'

/**
 * The command that runs the ledger's crash harness. The harness starts its own Postgres, so if that needs a capability in
 * order to reach this folder (see `postgresUser`), the whole harness gets it.
 */
export function crashHarnessCommand(args: readonly string[]): { command: string; args: readonly string[] } {
  const { prefix } = postgresUser(postgresBinaries().postgres, repositoryRoot)
  const script = path.join(repositoryRoot, 'services/inference/crash/run.ts')
  const [command = process.execPath, ...rest] = [...prefix, process.execPath, script, ...args]
  return { command, args: rest }
}
