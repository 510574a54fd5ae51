import path from 'node:path'
import { parseArgs } from 'node:util'
import { takeBackup } from '../backup/take-backup.ts'
import { dataPaths } from '../data-paths.ts'
import { ReadableError, runCommand } from '../readable-error.ts'
import { stdoutTerminal } from '../stdout-terminal.ts'

/* npm run backup -- <folder>: copies what `npm start` must not lose; it may run meanwhile. */
await runCommand(async () => {
  const [folder, ...more] = parseArgs({ allowPositionals: true }).positionals
  if (folder === undefined || more.length > 0) throw new ReadableError('Say where to: npm run backup -- <new folder>.')
  const into = path.resolve(process.env.INIT_CWD ?? '.', folder)
  const terminal = stdoutTerminal()
  await takeBackup({ data: dataPaths(process.env.RATCHET_DATA_DIR), into, terminal, now: () => new Date() })
  terminal.line(`▸ ${into} is a whole backup. It holds the secrets too: keep it where nobody else reads it.`)
})
