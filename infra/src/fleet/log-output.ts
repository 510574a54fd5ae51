import { createWriteStream, existsSync, renameSync, statSync, type WriteStream } from 'node:fs'
import path from 'node:path'
import { formatLogLine } from './format-log-line.ts'

export interface LogOutputOptions {
  /** Folder with one file per process, named after it. */
  readonly folder: string
  /** Prints a line; absent = lines go to files only. */
  readonly show?: (text: string) => void
  readonly colours: boolean
  /** Names of processes whose lines go to files only: they print much, and services report their failures. */
  readonly hidden: ReadonlySet<string>
  /** Each process has a current and a previous file of about this size at most. */
  readonly maxFileBytes?: number
}

export interface LogOutput {
  write(name: string, line: string): void
  /** Resolves when everything is on disk. */
  close(): Promise<void>
}

const usualFileBytes = 50 * 1024 * 1024
/** Length of the longest process name. */
const nameWidth = 18
const palette = [36, 33, 35, 32, 34, 96, 93, 95]

/** Writes the output of each process to its file, and to the terminal with the process's name as prefix. */
export function createLogOutput(options: LogOutputOptions): LogOutput {
  const { folder, show, colours, hidden, maxFileBytes = usualFileBytes } = options
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
      const file = files.get(name) ?? openLogFile(path.join(folder, `${name}.log`), maxFileBytes)
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

function openLogFile(file: string, maxBytes: number): LogFile {
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
      if (bytes > maxBytes) {
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
