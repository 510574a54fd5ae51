import { mebibyte } from '@ratchet/contracts/byte-sizes'
import { allLines } from '@ratchet/service-kit/values/json-lines'
import type { EntryPlace } from './import-report.ts'

/** An entry as the client sent it. */
export type EntryLine = EntryPlace &
  (
    | { readonly kind: 'value'; readonly value: unknown }
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

/** The entries of a list. */
export function* entriesOf(list: readonly unknown[], where: string): Generator<EntryLine> {
  for (const [index, value] of list.entries())
    yield { line: index + 1, param: `${where}.${index}`, kind: 'value', value }
}

function parsed(text: string) {
  try {
    return { kind: 'value', value: JSON.parse(text) as unknown } as const
  } catch {
    return { kind: 'not-json' } as const
  }
}
