import { parseArgs } from 'node:util'
import type { Advisory } from '../ops/audit/advisory.ts'
import { allowances } from '../ops/audit/allowances.ts'
import { describeAge } from '../ops/audit/database-age.ts'
import { judgeAudit, readReport } from '../ops/audit/judge-audit.ts'
import { lockfileVersions } from '../ops/audit/lockfile-versions.ts'
import { searchDatabase } from '../ops/audit/osv-database.ts'
import { readDatabaseFolder } from '../ops/audit/read-database-folder.ts'
import { readLockfile } from '../ops/dependencies/images.ts'
import { runProgram } from '../processes/run-program.ts'
import { ReadableError, runCommand } from '../terminal/readable-error.ts'
import { onStopSignals } from '../terminal/stop-signals.ts'

/*
 * `npm run audit [-- --database FOLDER]`: known vulnerabilities of the packages in the lockfile, by the registry, and by an
 * export of OSV's database in a folder, which needs no network. One of the two must answer.
 */

/** Minimum number of records of a database. OSV's export for npm has many times as many. */
const minRecords = 1_000
const interrupted = new AbortController()
onStopSignals({ stop: async () => interrupted.abort(), hurry: () => process.exit(1) })
const today = new Date().toISOString().slice(0, 10)

await runCommand(async () => {
  const { database } = parseArgs({ options: { database: { type: 'string' } } }).values
  const registered = await askRegistry()
  if (registered.advisories === null && database === undefined) {
    throw new ReadableError(
      `The registry did not return a report, and no database was named (docs/operations.md, "Known vulnerabilities"):\n${registered.output}`,
    )
  }
  if (registered.advisories === null) console.log('! the registry did not return a report; only the database is judged')
  const recorded = database === undefined ? [] : await askDatabase(database)
  const judged = judgeAudit(withoutRepetitions([...(registered.advisories ?? []), ...recorded]), allowances, today)
  for (const line of judged.lines) console.log(line)
  if (!judged.ok)
    throw new ReadableError('Upgrade the marked packages, or allow them in infra/src/ops/audit/allowances.ts.')
  console.log('✓ no vulnerability of severity high or critical is known in the packages of the lockfile')
})

async function askRegistry() {
  const { output } = await runProgram({
    command: 'pnpm',
    args: ['audit', '--json'],
    env: process.env,
    signal: interrupted.signal,
    timeoutMs: 120_000,
  })
  return { advisories: readReport(output), output: output.trim().slice(0, 500) }
}

async function askDatabase(folder: string): Promise<readonly Advisory[]> {
  const { advisories, records, changedOn } = await searchDatabase(
    readDatabaseFolder(folder),
    lockfileVersions(readLockfile()),
  )
  if (changedOn === null || records < minRecords)
    throw new ReadableError(`${folder} has ${records} records: that is no export of OSV's database for npm`)
  console.log(describeAge(changedOn, today))
  console.log(`· ${records} records were searched`)
  return advisories
}

/** Both sources report the same advisory under the same id. */
function withoutRepetitions(found: readonly Advisory[]): readonly Advisory[] {
  return [...new Map(found.map((each) => [`${each.id} ${each.name}`, each])).values()]
}
