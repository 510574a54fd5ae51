import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createDataFolder, type DataPaths } from './data-paths.ts'
import { ReadableError } from './readable-error.ts'
import { runningSupervisor } from './run-record.ts'

type Message = { readonly text: string } | { readonly ready: true } | { readonly failed: string }

/** How a start that goes on in the background talks to the command that waits for it. */
export interface Parent {
  write(text: string): void
  ready(): void
  failed(message: string): void
}

/** The command that waits for this process, or null when nobody does. */
export function reportToParent(): Parent | null {
  if (process.send === undefined) return null
  // Only the fleet keeps this process alive.
  process.channel?.unref()
  const send = (message: Message) => void (process.connected && process.send?.(message))
  return {
    write(text) {
      send({ text })
      process.stdout.write(text)
    },
    ready: () => send({ ready: true }),
    failed: (failed) => send({ failed }),
  }
}

export interface DetachedStart {
  readonly data: DataPaths
  readonly script: string
  readonly args: readonly string[]
}

/**
 * Runs the script in the background, its output in `logs/fleet.log`, and returns when it reports that it is ready.
 *
 * @throws ReadableError with its reason when it is not going to be
 */
export async function startDetached({ data, script, args }: DetachedStart): Promise<void> {
  createDataFolder(data)
  // Appending: when a fleet runs already, this is its file too.
  const file = path.join(data.logs, 'fleet.log')
  if (runningSupervisor(data.runFile) === null) rmSync(file, { force: true })
  const log = openSync(file, 'a', 0o600)
  const child = spawn(process.execPath, [script, ...args], { detached: true, stdio: ['ignore', log, log, 'ipc'] })
  // Until it is ready it belongs to the terminal: Ctrl-C here is meant for it.
  const pass = (signal: NodeJS.Signals) => void child.kill(signal)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, pass)
  const failure = await outcomeOf(child)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, pass)
  if (failure !== null) throw new ReadableError(failure.replace(/^✗ /, ''))
  if (child.connected) child.disconnect()
  child.unref()
}

/** @returns null when it is ready, else why it never will be */
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
