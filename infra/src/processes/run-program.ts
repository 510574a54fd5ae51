import { spawn } from 'node:child_process'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { descendantsOf, isRunning, type ProcessIdentity } from './process-identity.ts'

export interface ProgramOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Ends the program when it is aborted. */
  readonly signal: AbortSignal
  /** Milliseconds after which the program is ended. */
  readonly timeoutMs: number
  /** Called with every piece of output. */
  readonly onOutput?: (text: string) => void
}

export interface ProgramResult {
  readonly ok: boolean
  /** Output of both streams, in the order of arrival. */
  readonly output: string
}

/** Time between SIGTERM and SIGKILL, milliseconds. */
const graceMs = 5_000
/** Interval at which child processes are listed, milliseconds. */
const listEveryMs = 1_000

/** Runs a program in the repository's folder. Also ends every process that the program started and left running. */
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
    const add = (text: string) => {
      output += text
      onOutput?.(text)
    }
    const stdio = ['ignore', 'pipe', 'pipe'] as const
    const child = spawn(command, args, {
      cwd: repositoryRoot,
      env: { ...process.env, ...env },
      stdio: [...stdio],
      detached: true,
    })
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', add)
    const descendants = watchDescendants(child.pid ?? 0)
    const end = () => {
      descendants.update()
      child.kill('SIGTERM')
      setTimeout(() => child.kill('SIGKILL'), graceMs).unref()
    }
    const timer = setTimeout(() => {
      add(`\nstill running after ${timeoutMs / 1_000} s; ended\n`)
      end()
    }, timeoutMs)
    signal.addEventListener('abort', end, { once: true })
    const finish = (ok: boolean) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      descendants.end()
      resolve({ ok, output })
    }
    child.on('error', (error) => {
      add(`${error.message}\n`)
      if (child.pid === undefined) finish(false)
    })
    // The pipe may still hold the last lines.
    child.on('exit', (code) => setTimeout(finish, 100, code === 0))
  })
}

/**
 * Records the descendants of a process while it runs. They cannot be found later: a server has its own process group, and
 * gets another parent when its parent ends.
 */
function watchDescendants(pid: number): { update: () => void; end: () => void } {
  const seen = new Map<string, ProcessIdentity>()
  const update = () => {
    for (const process of descendantsOf(pid)) seen.set(`${process.pid} ${process.started}`, process)
  }
  const timer = setInterval(update, listEveryMs)
  return {
    update,
    end() {
      clearInterval(timer)
      for (const left of seen.values()) if (isRunning(left)) kill(left.pid)
    },
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process has ended already.
  }
}
