import { ReadableError } from '../terminal/readable-error.ts'
import { collectOutput } from './collect-output.ts'
import { findProgram } from './find-program.ts'

/** The parts of the machine that an installation uses; tests pass a fake. */
export interface Machine {
  /** Full path of a program on the PATH, or null. */
  which(name: string): string | null
  /** Runs a program to its end. */
  run(command: string, args: readonly string[]): Promise<{ ok: boolean; output: string }>
  readonly isRoot: boolean
}

export interface Installation {
  /** For messages. */
  readonly name: string
  readonly aptPackage: string
  /** Words after `brew install`. */
  readonly brew: readonly string[]
  /** What a person can do without this installation, one or more sentences. */
  readonly advice: string
  /** Called before the installation starts. */
  readonly say: (text: string) => void
}

/**
 * Installs a program with apt-get or Homebrew.
 *
 * @returns the name of the installer
 * @throws ReadableError with the advice when neither can install it
 */
export async function installProgram(wish: Installation, machine: Machine): Promise<string> {
  const { name, advice, say } = wish
  const install = installer(wish, machine)
  if (install === null) throw new ReadableError(`${name} is missing. ${advice}`)
  say(`${name} is not installed; installing it with ${install.name}`)
  for (const [command = '', ...args] of install.commands) {
    const { ok, output } = await machine.run(command, args)
    if (!ok) throw new ReadableError(`${install.name} could not install ${name}: ${lastLine(output)}. ${advice}`)
  }
  return install.name
}

function installer(
  { aptPackage, brew }: Installation,
  machine: Machine,
): { name: string; commands: (readonly string[])[] } | null {
  const apt = machine.which('apt-get')
  if (apt !== null && (machine.isRoot || machine.which('sudo') !== null)) {
    // -n: sudo fails instead of asking for a password.
    const prefix = machine.isRoot ? ['env'] : ['sudo', '-n', 'env']
    const words = [...prefix, 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', '-o', 'DPkg::Lock::Timeout=120']
    const install = [...words, 'install', '-y', '--no-install-recommends', aptPackage]
    return { name: 'apt-get', commands: [[...words, 'update'], install] }
  }
  const homebrew = machine.which('brew')
  return homebrew === null ? null : { name: 'Homebrew', commands: [[homebrew, 'install', '--quiet', ...brew]] }
}

function lastLine(output: string): string {
  return output.trim().split('\n').at(-1)?.slice(0, 160) ?? ''
}

export function thisMachine(): Machine {
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
