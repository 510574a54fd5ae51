import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { ReadableError, runCommand } from '../terminal/readable-error.ts'
import { stdoutTerminal } from '../terminal/stdout-terminal.ts'
import { onStopSignals } from '../terminal/stop-signals.ts'
import { announceStores, findSharedStores, sharedStoresFolder, withdrawStores } from '../test/shared-stores.ts'
import { startTestStores } from '../test/test-stores.ts'

const terminal = stdoutTerminal()

await runCommand(async () => {
  if ((await findSharedStores()) !== null) throw new ReadableError('The stores of the tests are already running.')
  rmSync(sharedStoresFolder, { recursive: true, force: true })
  mkdirSync(sharedStoresFolder, { recursive: true })
  // When root starts Postgres, it runs as another user, who must be able to pass through this folder.
  chmodSync(sharedStoresFolder, 0o711)
  const say = (text: string) => terminal.line(`▸ ${text}`)
  const start = () => startTestStores({ folder: sharedStoresFolder, say })
  const stores = await terminal.step('Postgres and Redis', start)
  const stop = async () => {
    withdrawStores()
    await stores.stop()
  }
  const stopped = onStopSignals({ stop, hurry: () => process.exit(1) })
  announceStores(stores.env)
  terminal.line('Jest and `npm test` use them. Ctrl-C stops them.')
  await stopped.done
})
