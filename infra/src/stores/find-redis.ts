import { collectOutput } from '../processes/collect-output.ts'
import { findProgram } from '../processes/find-program.ts'
import { ReadableError } from '../terminal/readable-error.ts'

/** The oldest major version with all commands that the queues use. */
const oldestMajor = 6

/** The parts of the machine that `findRedis` uses; tests pass a fake. */
export interface Machine {
  /** Full path of a program on the PATH, or null. */
  which(name: string): string | null
  /** Runs a program to its end. */
  run(command: string, args: readonly string[]): Promise<{ ok: boolean; output: string }>
  readonly isRoot: boolean
}

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
  const install = installer(machine)
  if (install === null) throw new ReadableError(`Redis is missing. ${advice}`)
  say(`redis-server is not installed; installing it with ${install.name}`)
  for (const [command = '', ...args] of install.commands) {
    const { ok, output } = await machine.run(command, args)
    if (!ok) throw new ReadableError(`${install.name} could not install Redis: ${lastLine(output)}. ${advice}`)
  }
  const installed = which(machine)
  if (installed === null) throw new ReadableError(`${install.name} installed no redis-server. ${advice}`)
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

function installer(machine: Machine): { name: string; commands: string[][] } | null {
  const apt = machine.which('apt-get')
  if (apt !== null && (machine.isRoot || machine.which('sudo') !== null)) {
    // -n: sudo fails instead of asking for a password.
    const prefix = machine.isRoot ? ['env'] : ['sudo', '-n', 'env']
    const words = [...prefix, 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', '-o', 'DPkg::Lock::Timeout=120']
    const install = [...words, 'install', '-y', '--no-install-recommends', 'redis-server']
    return { name: 'apt-get', commands: [[...words, 'update'], install] }
  }
  const brew = machine.which('brew')
  return brew === null ? null : { name: 'Homebrew', commands: [[brew, 'install', '--quiet', 'redis']] }
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1)?.slice(0, 160) ?? ''
}

function thisMachine(): Machine {
  return {
    which: findProgram,
    run: (command, args) => withUsualRights(() => collectOutput(command, args)),
    isRoot: process.getuid?.() === 0,
  }
}

/** Starts a program that must not inherit the strict rights of the files of a fleet, because it installs software for all. */
function withUsualRights<T>(start: () => T): T {
  const before = process.umask(0o022)
  try {
    return start()
  } finally {
    process.umask(before)
  }
}
