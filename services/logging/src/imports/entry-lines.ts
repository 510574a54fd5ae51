import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { mayLoseDigits, parseExact } from '@ratchet/service-kit/values/exact-json'
import { allLines } from '@ratchet/service-kit/values/json-lines'
import type { EntryPlace } from './import-report.ts'

/** An entry as the client sent it. */
export type EntryLine = EntryPlace &
  (
    | {
        readonly kind: 'value'
        readonly value: unknown /** The same as `parseExact` reads it. */
        readonly exact: unknown
      }
    | { readonly kind: 'not-json' }
    /** Longer than any entry that could be stored. */
    | { readonly kind: 'too-long' }
  )

/** Maximum bytes of a line. An exchange of 512 KB with every character escaped needs less than half of it. */
const maxLineBytes = 8 * mebibyte

/** The entries of JSON lines. */
export async function* linesOf(content: AsyncIterable<Uint8Array>, where: string): AsyncGenerator<EntryLine> {
  for await (const { number, text } of allLines(content, maxLineBytes)) {
    const place = { line: number, param: `${where}.${number}` }
    yield text === null ? { ...place, kind: 'too-long' } : { ...place, ...parsed(text) }
  }
}

/** The entries of a list. @param exact the same list as `parseExact` reads it */
export function* entriesOf(
  list: readonly unknown[],
  where: string,
  exact: readonly unknown[] = list,
): Generator<EntryLine> {
  for (const [index, value] of list.entries())
    yield { line: index + 1, param: `${where}.${index}`, kind: 'value', value, exact: exact[index] }
}

function parsed(text: string) {
  try {
    const value: unknown = JSON.parse(text)
    return { kind: 'value', value, exact: mayLoseDigits(text) ? parseExact(text) : value } as const
  } catch {
    return { kind: 'not-json' } as const
  }
}
