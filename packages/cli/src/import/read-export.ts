import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import type { Fields } from '@ratchet/service-kit/values/json'
import { CliError } from '../cli-error.ts'
import { fieldsOf, listOf } from './exchange.ts'

export interface ExportedRow {
  /** The line, from 1; in a file that is one JSON value the place in its list. */
  readonly number: number
  /** Null when it is no JSON object. */
  readonly fields: Fields | null
}

/**
 * Rows of an export: a file of JSON lines, which is read line by line, or one JSON value: a list, or an object with a list `data`,
 * `logs` or `rows`. A file whose name ends with `.gz` is unpacked.
 *
 * @throws CliError when the file cannot be read
 */
export async function* readExport(file: string): AsyncGenerator<ExportedRow> {
  const bytes = createReadStream(file)
  const text = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes
  bytes.on('error', (error) => text.destroy(error))
  const lines = createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY })
  // An error of the file does not reach who reads its lines.
  const broken = new Promise<never>((_, reject) => text.on('error', reject))
  broken.catch(() => undefined)
  try {
    yield* rowsOf(untilBroken(lines, broken))
  } catch (cause) {
    if (cause instanceof CliError) throw cause
    throw new CliError(`${file} cannot be read: ${(cause as Error).message}`, { cause })
  } finally {
    lines.close()
    text.destroy()
  }
}

async function* untilBroken(lines: AsyncIterable<string>, broken: Promise<never>): AsyncGenerator<string> {
  const iterator = lines[Symbol.asyncIterator]()
  while (true) {
    const next = await Promise.race([iterator.next(), broken])
    if (next.done) return
    yield next.value
  }
}

async function* rowsOf(lines: AsyncIterable<string>): AsyncGenerator<ExportedRow> {
  let number = 0
  let whole: string[] | null = null
  for await (const line of lines) {
    number += 1
    if (whole !== null) {
      whole.push(line)
      continue
    }
    if (line.trim() === '') continue
    const fields = fieldsOf(line)
    if (number === 1 && (fields === null || wrappedList(fields) !== null)) whole = [line]
    else yield { number, fields }
  }
  if (whole === null) return
  const text = whole.join('\n')
  const rows = listOf(text) ?? wrappedList(fieldsOf(text) ?? {})
  if (rows === null) throw new CliError('It has neither JSON lines nor a JSON list.')
  for (const [index, row] of rows.entries()) yield { number: index + 1, fields: fieldsOf(row) }
}

function wrappedList({ data, logs, rows }: Fields): readonly unknown[] | null {
  return [data, logs, rows].find(Array.isArray) ?? null
}
