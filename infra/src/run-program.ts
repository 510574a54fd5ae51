import { spawn } from 'node:child_process'
import { repositoryRoot } from './data-paths.ts'
import { descendantsOf, isRunning, type ProcessIdentity } from './process-identity.ts'

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
/** How often to look which processes it has started, milliseconds. */
const lookEveryMs = 1_000

/** Runs a program in the repository's folder and leaves nothing behind that it started, however it ends. */
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
    const family = watchFamily(child.pid ?? 0)
    const end = () => {
      family.look()
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
      family.end()
      resolve({ ok, output })
    }
    child.on('error', (error) => {
      add(`${error.message}\n`)
      if (child.pid === undefined) finish(false)
    })
    // Its last lines may still be in the pipe.
    child.on('exit', (code) => setTimeout(finish, 100, code === 0))
  })
}

/**
 * Remembers every process below one. Servers get groups of their own and, when their parent dies, another parent: only
 * who looked before can still find them.
 */
function watchFamily(pid: number): { look: () => void; end: () => void } {
  const seen = new Map<string, ProcessIdentity>()
  const look = () => {
    for (const process of descendantsOf(pid)) seen.set(`${process.pid} ${process.started}`, process)
  }
  const timer = setInterval(look, lookEveryMs)
  return {
    look,
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
    // It has ended by itself meanwhile.
  }
}
