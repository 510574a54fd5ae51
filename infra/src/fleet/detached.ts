import { type ChildProcess, spawn } from 'node:child_process'
import { fstatSync, ftruncateSync, openSync, rmSync } from 'node:fs'
import path from 'node:path'
import { ReadableError } from '../terminal/readable-error.ts'
import { createDataFolder, type DataPaths } from './data-paths.ts'
import { runningSupervisor } from './run-record.ts'

type Message = { readonly text: string } | { readonly ready: true } | { readonly failed: string }

/** Messages from a start in the background to the command that waits for it. */
export interface Parent {
  write(text: string): void
  ready(): void
  failed(message: string): void
}

/** The command that waits for this process, or null when this process was started directly. */
export function reportToParent(): Parent | null {
  if (process.send === undefined) return null
  // The channel to the parent must not keep this process alive.
  process.channel?.unref()
  const send = (message: Message) => void (process.connected && process.send?.(message))
  return {
    write(text) {
      send({ text })
      emptyLargeFile(process.stdout.fd)
      process.stdout.write(text)
    },
    ready: () => send({ ready: true }),
    failed: (failed) => send({ failed }),
  }
}

/** The file gets a few lines at each start and restart of a process. */
const maxOutputBytes = 10 * 1024 * 1024

/** Empties a file that has become too large. It is open for appending, so what is written next is at its start. */
function emptyLargeFile(descriptor: number): void {
  const state = fstatSync(descriptor)
  if (state.isFile() && state.size > maxOutputBytes) ftruncateSync(descriptor)
}

export interface DetachedStart {
  readonly data: DataPaths
  readonly script: string
  readonly args: readonly string[]
}

/**
 * Runs the script in the background, its output in `logs/fleet.log`, and returns when it reports that it is ready.
 *
 * @throws ReadableError with the reason when the start failed
 */
export async function startDetached({ data, script, args }: DetachedStart): Promise<void> {
  createDataFolder(data)
  // Appending, because a fleet that already runs writes to the same file.
  const file = path.join(data.logs, 'fleet.log')
  if (runningSupervisor(data.runFile) === null) rmSync(file, { force: true })
  const log = openSync(file, 'a', 0o600)
  const child = spawn(process.execPath, [...process.execArgv, script, ...args], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  })
  // Until the fleet is ready, Ctrl-C in this terminal is meant for it.
  const pass = (signal: NodeJS.Signals) => void child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, pass)
  const failure = await outcomeOf(child)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, pass)
  if (failure !== null) throw new ReadableError(failure.replace(/^✗ /, ''))
  if (child.connected) child.disconnect()
  child.unref()
}

/** @returns null when the fleet is ready, else why the start failed */
function outcomeOf(child: ChildProcess): Promise<string | null> {
  return new Promise((resolve) => {
    let reason: string | null = null
    child.on('message', (message: Message) => {
      if ('text' in message) process.stdout.write(message.text)
      else if ('failed' in message) reason = message.failed
      else resolve(null)
    })
    child.on('error', (error) => resolve(error.message))
    child.on('exit', () => resolve(reason ?? 'The start was interrupted; see .data/logs/fleet.log.'))
  })
}
