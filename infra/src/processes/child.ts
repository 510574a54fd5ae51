import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { ReadableError } from '../terminal/readable-error.ts'
import { lastWords } from './last-words.ts'

/** How to run one process, and how to check that it is ready. */
export interface ChildSpec {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Runs the process as this user; requires root. */
  readonly user?: { readonly uid: number; readonly gid: number }
  readonly cwd?: string
  readonly stopSignal: NodeJS.Signals
  /** Milliseconds between the stop signal and SIGKILL. */
  readonly stopTimeoutMs: number
  readonly readyTimeoutMs: number
  /** The process drains on SIGTERM, and stops at once on a second SIGTERM. */
  readonly drains?: boolean
  readonly isReady: () => Promise<boolean>
}

export interface ChildExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ChildEvents {
  /** Called with every line that the process prints to stdout or stderr. */
  readonly onLine?: (line: string) => void
  /** Called when the process exists, long before it is ready. */
  readonly onSpawn?: (child: Child) => void
}

export interface Child {
  readonly name: string
  readonly pid: number
  /** Resolves when the process has ended and its output was read to the end. */
  readonly exited: Promise<ChildExit>
  signal(name: NodeJS.Signals): void
  /** Sends the stop signal, and SIGKILL after the timeout; resolves when the process has ended. */
  stop(): Promise<void>
}

const maxLastLines = 60
const pollMs = 25

/**
 * Starts a process and waits until it is ready.
 *
 * It gets its own process group: Ctrl-C in a terminal reaches every process of the terminal's group at once, but the
 * databases must outlive the services that write to them.
 *
 * @throws ReadableError with its last output when it ends, or is not ready in time
 */
export async function startChild(spec: ChildSpec, { onLine, onSpawn }: ChildEvents = {}): Promise<Child> {
  const lastLines: string[] = []
  const child = spawnChild(spec, (line) => {
    lastLines.push(line)
    if (lastLines.length > maxLastLines) lastLines.shift()
    onLine?.(line)
  })
  onSpawn?.(child)
  const failure = await waitUntilReady(spec, child)
  if (failure === null) return child
  child.signal('SIGKILL')
  await child.exited
  throw new ReadableError([`${spec.name} ${failure}.`, ...lastWords(lastLines)].join('\n    '))
}

/** When this process exits, children that still run get their stop signal, the last started first. */
const stopAtExit = new Set<() => void>()
process.on('exit', () => [...stopAtExit].reverse().forEach((stop) => void stop()))

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
  const stop = () => signal(spec.stopSignal)
  stopAtExit.add(stop)
  void exited.then(() => stopAtExit.delete(stop))
  return { name: spec.name, pid: child.pid ?? 0, exited, signal, stop: () => stopChild(spec, signal, exited) }
}

function exitOf(child: ChildProcess, onLine: (line: string) => void): Promise<ChildExit> {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      onLine(error.message)
      if (child.pid === undefined) resolve({ code: 127, signal: null })
    })
    // The pipe may still hold the last lines. A grandchild can keep the pipe open, so the wait is limited.
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

/** @returns null when the process is ready, else the problem */
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
