import { open, rename, rm } from 'node:fs/promises'
import type { Answer } from '../answer.ts'
import { createLineDisplay } from '../api/line-display.ts'
import { CliError } from '../cli-error.ts'
import type { CliIo } from '../cli-io.ts'

/** A piece of an export, as it is written. */
export interface ExportPiece {
  readonly text: string
  /** Records in it: exchanges, examples or samples. */
  readonly records: number
}

export interface ExportTarget {
  /** Path of the file; undefined for standard output. */
  readonly output: string | undefined
  /** What a record is, in the plural. */
  readonly noun: string
  /** Number of all records; null when it is not known. */
  readonly total: number | null
}

/**
 * Writes an export piece by piece and shows how far it is. A file appears under its name only when it is complete.
 *
 * @returns what was written; null when that was printed on standard output
 * @throws CliError when the file cannot be written
 */
export async function writeExport(
  io: CliIo,
  pieces: AsyncIterable<ExportPiece>,
  { output, noun, total }: ExportTarget,
): Promise<Answer | null> {
  const display = createLineDisplay(io)
  let records = 0
  let bytes = 0
  const sink = output === undefined ? printed(io) : await fileAt(output)
  try {
    for await (const { text, records: more } of pieces) {
      await sink.write(text)
      records += more
      bytes += Buffer.byteLength(text)
      const line = `${records}${total === null ? '' : ` of ${total}`} ${noun}, ${sizeText(bytes)}`
      display.show({ onTerminal: () => line, inLog: line })
    }
    await sink.finish()
  } catch (error) {
    await sink.discard()
    throw error
  } finally {
    display.end()
  }
  if (output === undefined) return null
  const json = { output, records, bytes }
  return { json, text: `${records} ${noun}, ${sizeText(bytes)}: ${output}` }
}

interface Sink {
  write(text: string): Promise<void>
  finish(): Promise<void>
  discard(): Promise<void>
}

function printed({ stdout }: CliIo): Sink {
  const done = async () => undefined
  return { write: async (text) => stdout(text), finish: done, discard: done }
}

async function fileAt(path: string): Promise<Sink> {
  const partial = `${path}.part`
  const file = await open(partial, 'w').catch((cause: NodeJS.ErrnoException) => {
    throw new CliError(`${path} cannot be written (${cause.code ?? cause.message})`, { cause })
  })
  return {
    write: (text) => file.appendFile(text),
    finish: async () => {
      await file.close()
      await rename(partial, path)
    },
    discard: async () => {
      await file.close().catch(() => undefined)
      await rm(partial, { force: true })
    },
  }
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
