import { existsSync } from 'node:fs'
import { installProgram, type Machine, thisMachine } from '../processes/install-program.ts'
import { ReadableError } from '../terminal/readable-error.ts'

const advice = 'Install Chromium with your package manager, or set CHROMIUM_PATH to the path of a Chromium or Chrome.'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

export interface BrowserSearch {
  /** Called before an installation starts, which takes minutes on a new machine. */
  readonly say: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  readonly machine?: Machine
}

/**
 * Finds the browser with which tests open the dashboard: `CHROMIUM_PATH`, else that of this machine, else it installs
 * Chromium with apt-get or Homebrew.
 *
 * @returns path of the program
 * @throws ReadableError with advice when there is none and none can be installed
 */
export async function findChromium({ say, env, machine = thisMachine() }: BrowserSearch): Promise<string> {
  const given = env.CHROMIUM_PATH ?? ''
  if (given !== '') {
    if (existsSync(given)) return given
    throw new ReadableError(`There is no ${given}, which CHROMIUM_PATH names.`)
  }
  const found = which(machine)
  if (found !== null) return found
  const chromium = { name: 'Chromium', aptPackage: 'chromium', brew: ['--cask', 'chromium'], advice, say }
  const installer = await installProgram(chromium, machine)
  const installed = which(machine)
  if (installed === null) throw new ReadableError(`${installer} installed no chromium. ${advice}`)
  return installed
}

function which(machine: Machine): string | null {
  return names.map((name) => machine.which(name)).find((file) => file !== null) ?? null
}
