import { spawn } from 'node:child_process'
import { repositoryRoot } from './data-paths.ts'

export interface ProgramOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Ends it when it fires. */
  readonly signal: AbortSignal
  /** Milliseconds after which it counts as hung and is ended. */
  readonly timeoutMs: number
  /** Sees everything it prints as it comes. */
  readonly onOutput?: (text: string) => void
}

export interface ProgramResult {
  readonly ok: boolean
  /** Both streams, in the order they came. */
  readonly output: string
}

/** Time between SIGTERM and SIGKILL, milliseconds. */
const graceMs = 5_000

/** Runs a program in the repository's folder with its whole process group, and leaves nothing of it behind. */
export function runProgram({
  command,
  args,
  env,
  signal,
  timeoutMs,
  onOutput,
}: ProgramOptions): Promise<ProgramResult> {
  return new Promise((resolve) => {
    let output = ''
    const child = spawn(command, args, {
      cwd: repositoryRoot,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const add = (text: string) => {
      output += text
      onOutput?.(text)
    }
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', add)
    const end = () => {
      killGroup(child.pid, 'SIGTERM')
      setTimeout(killGroup, graceMs, child.pid, 'SIGKILL').unref()
    }
    const timer = setTimeout(() => {
      add(`\nstill running after ${timeoutMs / 1_000} s; ended\n`)
      end()
    }, timeoutMs)
    signal.addEventListener('abort', end, { once: true })
    const finish = (ok: boolean) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      killGroup(child.pid, 'SIGKILL')
      resolve({ ok, output })
    }
    child.on('error', (error) => {
      add(`${error.message}\n`)
      if (child.pid === undefined) finish(false)
    })
    child.on('exit', (code) => setTimeout(finish, 50, code === 0))
  })
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // Nothing of the group is left.
  }
}
