import { installProgram, type Machine, thisMachine } from '../processes/install-program.ts'
import { ReadableError } from '../terminal/readable-error.ts'

/** The oldest major version with all commands that the queues use. */
const oldestMajor = 6

const advice =
  'Install redis-server (or valkey-server) with your package manager, or set REDIS_URL to the address of a server.'

/**
 * Finds the Redis or Valkey server of this machine, or installs Redis with apt-get or Homebrew if possible.
 *
 * @param say called before an installation starts
 * @returns path of the program
 * @throws ReadableError with advice when there is none and none can be installed
 */
export async function findRedis(say: (text: string) => void, machine: Machine = thisMachine()): Promise<string> {
  const found = which(machine)
  if (found !== null) return checkVersion(found, machine)
  const redis = { name: 'Redis', aptPackage: 'redis-server', brew: ['redis'], advice, say }
  const installer = await installProgram(redis, machine)
  const installed = which(machine)
  if (installed === null) throw new ReadableError(`${installer} installed no redis-server. ${advice}`)
  return checkVersion(installed, machine)
}

function which(machine: Machine): string | null {
  return machine.which('redis-server') ?? machine.which('valkey-server')
}

async function checkVersion(program: string, machine: Machine): Promise<string> {
  const { output } = await machine.run(program, ['--version'])
  const major = Number(/v=(\d+)/.exec(output)?.[1] ?? Number.NaN)
  if (major >= oldestMajor) return program
  throw new ReadableError(`${program} is too old (${output.trim().slice(0, 60)}). ${advice}`)
}
