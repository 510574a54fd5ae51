/* npm run bench:logs: fills a log and measures how long reading it takes, through the edge. */

import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { connectPool } from '@ratchet/db/connect-pool'
import { migrate } from '@ratchet/db/migrate'
import { repositoryRoot } from '@ratchet/infra/fleet/data-paths'
import { ensureDatabase, postgresSpec, postgresUrl } from '@ratchet/infra/stores/start-postgres'
import { runCommand } from '@ratchet/infra/terminal/readable-error'
import { anyFreePort } from '@ratchet/service-kit/process/any-free-port'
import { createDemoWorkspace } from '@ratchet/testing/demo-workspace'
import { loadExchanges } from '@ratchet/testing/filled-log/load-exchanges'
import { describeMachine } from '../machine/machine.ts'
import { createProcessGroup, type ProcessGroup } from '../targets/process-group.ts'
import { readCases } from './cases.ts'
import { measureExport, measureReads } from './measure-reads.ts'
import { measureSize } from './measure-size.ts'
import { parseLogReadOptions } from './options.ts'
import { renderReads } from './render-reads.ts'
import { startLog } from './start-log.ts'

await runCommand(async () => {
  const options = parseLogReadOptions(process.argv.slice(2))
  const folder = path.join(repositoryRoot, '.data', `bench-logs-${process.pid}`)
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755) // Postgres may run as another user, who has to pass through.
  const group = createProcessGroup(null, (line) => process.stdout.write(`  ${line}\n`))
  try {
    const { databaseUrl, apiKey } = options.loaded ?? (await load(group, folder, options.exchanges))
    const { url, loggingPid } = await startLog(group, databaseUrl, folder)
    const caller = { url, apiKey }
    const reads = await measureReads(caller, readCases(new Date()), options.rounds)
    const report = {
      ...(await measureSize(databaseUrl)),
      rounds: options.rounds,
      date: new Date().toISOString().slice(0, 10),
      machine: describeMachine(),
      reads,
      exported: await measureExport(caller, loggingPid),
    }
    const markdown = renderReads(report)
    process.stdout.write(`\n${markdown}`)
    writeFileSync(path.join(repositoryRoot, 'bench/results/log-reads.md'), markdown)
  } finally {
    await group.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  process.exit()
})

async function load(group: ProcessGroup, folder: string, exchanges: number) {
  const postgres = { folder: path.join(folder, 'postgres'), port: await anyFreePort(), password: 'bench' }
  await group.startTarget(await postgresSpec(postgres), { quiet: true })
  await ensureDatabase(postgresUrl(postgres), 'ratchet')
  const databaseUrl = postgresUrl(postgres, 'ratchet')
  await migrate(databaseUrl)
  const { workspaceId, apiKey } = await createDemoWorkspace(databaseUrl)
  const pool = connectPool({ databaseUrl, max: 2 })
  try {
    await pool.query('INSERT INTO workspace_settings (workspace_id, logging_enabled) VALUES ($1, true)', [workspaceId])
    await loadExchanges(pool, { workspaceId, exchanges, untilMs: Date.now(), days: 29 })
  } finally {
    await pool.end()
  }
  return { databaseUrl, apiKey }
}
