import path from 'node:path'
import { banner } from '../banner.ts'
import { chooseModel } from '../choose-model.ts'
import { dataPaths, repositoryRoot } from '../data-paths.ts'
import { reportToParent, startDetached } from '../detached.ts'
import { runCommand } from '../readable-error.ts'
import { runFleet } from '../run-fleet.ts'
import { describeRunning } from '../running-fleet.ts'
import { parseStartOptions } from '../start-options.ts'
import { stdoutTerminal } from '../stdout-terminal.ts'

const args = process.argv.slice(2)
const data = dataPaths(process.env.RATCHET_DATA_DIR)
const parent = reportToParent()

await runCommand(start, parent?.failed)

async function start(): Promise<void> {
  const options = parseStartOptions(args)
  if (options.detach && parent === null) return startDetached({ data, script: import.meta.filename, args })
  const terminal = stdoutTerminal(parent?.write)
  const result = await runFleet({
    data,
    env: process.env,
    start: options,
    terminal,
    showLogs: parent === null,
    colours: process.stdout.isTTY && (process.env.NO_COLOR ?? '') === '',
    async onReady(info) {
      const model = await chooseModel(info, process.env)
      const dataFolder = path.relative(repositoryRoot, data.folder)
      terminal.line(banner({ info, model, dataFolder, detached: parent !== null }))
      parent?.ready()
    },
  })
  if (result.kind === 'taken') terminal.line(await describeRunning({ data, options, supervisor: result.supervisor }))
  parent?.ready()
}
