import { createWriteStream, existsSync, renameSync, statSync, type WriteStream } from 'node:fs'
import path from 'node:path'
import { formatLogLine } from './format-log-line.ts'

export interface LogOutputOptions {
  /** One file per process goes here, named after it. */
  readonly folder: string
  /** Shows a line to whoever looks on; absent = files only. */
  readonly show?: (text: string) => void
  readonly colours: boolean
  /** Kept in files only: they say much, and what goes wrong with them shows in the services. */
  readonly hidden: ReadonlySet<string>
}

export interface LogOutput {
  write(name: string, line: string): void
  /** Settles when everything is on disk. */
  close(): Promise<void>
}

/** One file per process, and the one before it: twice this many bytes at most. */
const largestFileBytes = 50 * 1024 * 1024
/** As wide as the longest name. */
const nameWidth = 18
const palette = [36, 33, 35, 32, 34, 96, 93, 95]

/** Sends what processes print to a file each, and to the terminal with the process's name in front. */
export function createLogOutput({ folder, show, colours, hidden }: LogOutputOptions): LogOutput {
  const files = new Map<string, LogFile>()
  const colourOf = new Map<string, number>()

  function prefix(name: string): string {
    const colour = colourOf.get(name) ?? palette[colourOf.size % palette.length] ?? 36
    colourOf.set(name, colour)
    const text = `${name.padEnd(nameWidth)} │`
    return colours ? `\u001b[${colour}m${text}\u001b[0m` : text
  }

  return {
    write(name, line) {
      const file = files.get(name) ?? openLogFile(path.join(folder, `${name}.log`))
      files.set(name, file)
      file.write(line)
      if (!hidden.has(name)) show?.(`${prefix(name)} ${formatLogLine(line)}`)
    },
    async close() {
      await Promise.all([...files.values()].map((file) => file.close()))
    },
  }
}

interface LogFile {
  write(line: string): void
  close(): Promise<void>
}

function openLogFile(file: string): LogFile {
  let stream: WriteStream | null = null
  let bytes = 0

  function open(): WriteStream {
    if (existsSync(file) && statSync(file).size > 0) renameSync(file, `${file}.1`)
    bytes = 0
    // A full disk must not stop the fleet.
    return createWriteStream(file, { mode: 0o600 }).on('error', () => undefined)
  }

  return {
    write(line) {
      if (bytes > largestFileBytes) {
        stream?.end()
        stream = null
      }
      stream ??= open()
      bytes += Buffer.byteLength(line) + 1
      stream.write(`${line}\n`)
    },
    close: () => new Promise((resolve) => (stream === null ? resolve() : stream.end(() => resolve()))),
  }
}
