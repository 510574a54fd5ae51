import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { lastWords } from './last-words.ts'
import { ReadableError } from './readable-error.ts'

/** How to run one process of the fleet and how to know that it works. */
export interface ChildSpec {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Run as this user; needs root. */
  readonly user?: { readonly uid: number; readonly gid: number }
  readonly cwd?: string
  readonly stopSignal: NodeJS.Signals
  /** Milliseconds between the stop signal and SIGKILL. */
  readonly stopTimeoutMs: number
  readonly readyTimeoutMs: number
  /** It finishes running requests before it ends; a second SIGTERM makes it stop at once. */
  readonly drains?: boolean
  readonly isReady: () => Promise<boolean>
}

export interface ChildExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ChildEvents {
  /** Every line it prints, on either stream. */
  readonly onLine?: (line: string) => void
  /** Called once it exists, long before it is ready. */
  readonly onSpawn?: (child: Child) => void
}

export interface Child {
  readonly name: string
  readonly pid: number
  /** Settles when the process has ended and everything it printed was read. */
  readonly exited: Promise<ChildExit>
  signal(name: NodeJS.Signals): void
  /** Stop signal, then SIGKILL after the time-out; settles when the process is gone. */
  stop(): Promise<void>
}

const lastLinesKept = 60
const pollMs = 25

/**
 * Starts a process and waits until it is ready.
 *
 * It gets a process group of its own: Ctrl-C in a terminal reaches every process of the terminal's group at once, and
 * the databases must outlive the services that write to them.
 *
 * @throws ReadableError with its last words when it ends or stays silent before it is ready
 */
export async function startChild(spec: ChildSpec, { onLine, onSpawn }: ChildEvents = {}): Promise<Child> {
  const lastLines: string[] = []
  const child = spawnChild(spec, (line) => {
    lastLines.push(line)
    if (lastLines.length > lastLinesKept) lastLines.shift()
    onLine?.(line)
  })
  onSpawn?.(child)
  const failure = await waitUntilReady(spec, child)
  if (failure === null) return child
  child.signal('SIGKILL')
  await child.exited
  throw new ReadableError([`${spec.name} ${failure}.`, ...lastWords(lastLines)].join('\n    '))
}

function spawnChild(spec: ChildSpec, onLine: (line: string) => void): Child {
  const { command, args, env, cwd, user } = spec
  const child = spawn(command, args, {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
    ...(user ?? {}),
  })
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', onLine)
  const exited = exitOf(child, onLine)
  const signal = (name: NodeJS.Signals) => void (child.exitCode === null && child.kill(name))
  return { name: spec.name, pid: child.pid ?? 0, exited, signal, stop: () => stopChild(spec, signal, exited) }
}

function exitOf(child: ChildProcess, onLine: (line: string) => void): Promise<ChildExit> {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      onLine(error.message)
      if (child.pid === undefined) resolve({ code: 127, signal: null })
    })
    // The last lines may still be in the pipe; a grandchild that keeps the pipe open is not worth waiting for.
    child.on('exit', (code, signal) => {
      const done = () => resolve({ code, signal })
      child.on('close', done)
      setTimeout(done, 500).unref()
    })
  })
}

async function stopChild(
  spec: ChildSpec,
  signal: (name: NodeJS.Signals) => void,
  exited: Promise<ChildExit>,
): Promise<void> {
  signal(spec.stopSignal)
  const killTimer = setTimeout(() => signal('SIGKILL'), spec.stopTimeoutMs)
  await exited
  clearTimeout(killTimer)
}

/** @returns null when ready, else what went wrong */
async function waitUntilReady(spec: ChildSpec, child: Child): Promise<string | null> {
  const ended: ChildExit[] = []
  void child.exited.then((exit) => ended.push(exit))
  const deadline = performance.now() + spec.readyTimeoutMs
  while (performance.now() < deadline) {
    const ready = ended.length === 0 && (await spec.isReady().catch(() => false))
    const [exit] = ended
    if (exit !== undefined) return describeExit(exit)
    if (ready) return null
    await sleep(pollMs)
  }
  return `was not ready after ${spec.readyTimeoutMs / 1_000} s`
}

/** `stopped with code 1`, `was killed by SIGKILL`. */
export function describeExit({ code, signal }: ChildExit): string {
  return signal === null ? `stopped with code ${code ?? 'unknown'}` : `was killed by ${signal}`
}
