import { allLines } from '@ratchet/service-kit/values/json-lines'
import { maxContentBytes } from '../exchanges/content-limits.ts'
import type { EntryPlace } from './import-report.ts'

/** An entry as the client sent it. */
export interface EntryLine extends EntryPlace {
  /** JSON, which may be invalid; null for a line that is longer than any entry that could be stored. */
  readonly text: string | null
}

/** Maximum bytes of an entry as JSON: a content of 512 KB with every character written as an escape of six. */
export const maxEntryBytes = 6 * maxContentBytes

/** The entries of JSON lines. */
export async function* linesOf(content: AsyncIterable<Uint8Array>, where: string): AsyncGenerator<EntryLine> {
  for await (const { number, text } of allLines(content, maxEntryBytes))
    yield { line: number, param: `${where}.${number}`, text }
}

/** The entries of a list, each as JSON; null for one that is too long. */
export async function* entriesOf(
  list: AsyncIterable<string | null> | Iterable<string | null>,
  where: string,
): AsyncGenerator<EntryLine> {
  let index = 0
  for await (const text of list) {
    yield { line: index + 1, param: `${where}.${index}`, text }
    index += 1
  }
}
