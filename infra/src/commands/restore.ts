import path from 'node:path'
import { parseArgs } from 'node:util'
import { dataPaths } from '../fleet/data-paths.ts'
import { restoreBackup } from '../ops/backup/restore-backup.ts'
import { ReadableError, runCommand } from '../terminal/readable-error.ts'
import { stdoutTerminal } from '../terminal/stdout-terminal.ts'

/* npm run restore -- <folder>: puts a backup into an empty data folder, for the next `npm start`. */
await runCommand(async () => {
  const [folder, ...more] = parseArgs({ allowPositionals: true }).positionals
  if (folder === undefined || more.length > 0) throw new ReadableError('Name a backup: npm run restore -- <folder>.')
  const from = path.resolve(process.env.INIT_CWD ?? '.', folder)
  const data = dataPaths(process.env.RATCHET_DATA_DIR)
  const terminal = stdoutTerminal()
  const { taken_at } = await restoreBackup({ data, from, terminal })
  terminal.line(`▸ ${data.folder} is restored to its state of ${taken_at}. Run \`npm start\`.`)
  terminal.line('  Then run `npx ratchet admin audit`.')
})
