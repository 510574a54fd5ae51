import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { BootstrapError } from './bootstrap-error.mjs'
import { checkMachine } from './check-machine.mjs'
import { ensurePackages } from './ensure-packages.mjs'
import { ensurePrismaClient } from './ensure-prisma-client.mjs'
import { ensureNode } from './ensure-toolchain.mjs'
import { execNode } from './exec-node.mjs'
import { withInstallLock } from './install-lock.mjs'
import { root } from './paths.mjs'

const commands = [
  'start',
  'stop',
  'test',
  'stores',
  'crash',
  'faults',
  'trainers',
  'speech',
  'simulate',
  'site',
  'chart',
  'clients',
  'screenshots',
  'measure-dashboard',
  'compatibility',
  'check',
  'audit',
  'sbom',
  'bench',
  'bench-ledger',
  'bench-logs',
  'bench-evals',
  'bench-training',
  'bench-voice',
  'bench-workers',
  'codegen',
  'sdk-requests',
  'redaction-patterns',
  'compose-env',
  'rotate-keys',
  'backup',
  'restore',
]

/**
 * Flags of Node for a command. What `npm start` keeps running does little and must be small; see `smallMemory` of
 * `infra/src/fleet/memory-settings.ts`.
 */
const nodeFlags = { start: ['--optimize-for-size'] }

/**
 * Installs what is missing or out of date (pinned Node, pnpm, packages, Prisma client), then runs
 * `infra/src/commands/<command>.ts`. An error becomes one line; RATCHET_DEBUG shows the stack.
 *
 * @param {string[]} argv the command and its arguments
 */
export async function bootstrap(argv) {
  const [command, ...args] = argv
  try {
    if (!commands.includes(command ?? '')) throw new BootstrapError(`Name a command: ${commands.join(', ')}.`)
    if (command === 'stop' && !existsSync(join(dataFolder(), 'run.json'))) {
      console.log('Nothing is running.')
      return
    }
    const node = await prepare()
    const script = join(root, 'infra', 'src', 'commands', `${command}.ts`)
    await execNode(node, { flags: nodeFlags[command] ?? [], script, args })
  } catch (error) {
    report(error)
    process.exitCode = 1
  }
}

async function prepare() {
  checkMachine()
  return withInstallLock(async () => {
    const node = await ensureNode()
    await ensurePackages(node)
    await ensurePrismaClient(node)
    return node
  })
}

function dataFolder() {
  return resolve(root, process.env.RATCHET_DATA_DIR ?? '.data')
}

function report(error) {
  const debug = (process.env.RATCHET_DEBUG ?? '') !== ''
  if (debug) console.error(error)
  else console.error(`✗ ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`)
  if (!debug && !(error instanceof BootstrapError)) console.error('  RATCHET_DEBUG=1 shows the stack.')
}
