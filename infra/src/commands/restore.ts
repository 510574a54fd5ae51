import path from 'node:path'
import { parseArgs } from 'node:util'
import { restoreBackup } from '../backup/restore-backup.ts'
import { dataPaths } from '../data-paths.ts'
import { ReadableError, runCommand } from '../readable-error.ts'
import { stdoutTerminal } from '../stdout-terminal.ts'

/* npm run restore -- <folder>: puts a backup into an empty data folder, for the next `npm start`. */
await runCommand(async () => {
  const [folder, ...more] = parseArgs({ allowPositionals: true }).positionals
  if (folder === undefined || more.length > 0) throw new ReadableError('Say what: npm run restore -- <backup folder>.')
  const from = path.resolve(process.env.INIT_CWD ?? '.', folder)
  const data = dataPaths(process.env.RATCHET_DATA_DIR)
  const terminal = stdoutTerminal()
  const { taken_at } = await restoreBackup({ data, from, terminal })
  terminal.line(`▸ ${data.folder} is what it was at ${taken_at}. \`npm start\` goes on from there.`)
  terminal.line('  Then: `npx ratchet admin audit`.')
})
