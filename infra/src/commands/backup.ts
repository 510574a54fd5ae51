import path from 'node:path'
import { parseArgs } from 'node:util'
import { dataPaths } from '../fleet/data-paths.ts'
import { takeBackup } from '../ops/backup/take-backup.ts'
import { ReadableError, runCommand } from '../terminal/readable-error.ts'
import { stdoutTerminal } from '../terminal/stdout-terminal.ts'

/* npm run backup -- <folder>: copies the data of `npm start`, which may be running. */
await runCommand(async () => {
  const [folder, ...more] = parseArgs({ allowPositionals: true }).positionals
  if (folder === undefined || more.length > 0) throw new ReadableError('Name a new folder: npm run backup -- <folder>.')
  const into = path.resolve(process.env.INIT_CWD ?? '.', folder)
  const terminal = stdoutTerminal()
  await takeBackup({ data: dataPaths(process.env.RATCHET_DATA_DIR), into, terminal, now: () => new Date() })
  terminal.line(`▸ ${into} is a complete backup. It contains the secrets: keep it where only you can read it.`)
})
