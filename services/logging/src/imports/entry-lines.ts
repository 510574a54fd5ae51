import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { allLines } from '@ratchet/service-kit/values/json-lines'
import type { EntryPlace } from './import-report.ts'

/** An entry as the client sent it. */
export interface EntryLine extends EntryPlace {
  /** JSON, which may be invalid; null for a line that is longer than any entry that could be stored. */
  readonly text: string | null
}

/** Maximum bytes of a line. An exchange of 512 KB with every character escaped needs less than half of it. */
const maxLineBytes = 8 * mebibyte

/** The entries of JSON lines. */
export async function* linesOf(content: AsyncIterable<Uint8Array>, where: string): AsyncGenerator<EntryLine> {
  for await (const { number, text } of allLines(content, maxLineBytes))
    yield { line: number, param: `${where}.${number}`, text }
}

/** The entries of a list, each as JSON. */
export async function* entriesOf(
  list: AsyncIterable<string> | Iterable<string>,
  where: string,
): AsyncGenerator<EntryLine> {
  let index = 0
  for await (const text of list) {
    yield { line: index + 1, param: `${where}.${index}`, text: text.length > maxLineBytes ? null : text }
    index += 1
  }
}
