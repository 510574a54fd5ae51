import { allLines } from '@ratchet/service-kit/json-lines'
import type { EntryPlace } from './import-report.ts'

/** An entry as it was sent. */
export type EntryLine = EntryPlace &
  (
    | { readonly kind: 'value'; readonly value: unknown }
    | { readonly kind: 'not-json' }
    /** Longer than any entry that could be kept. */
    | { readonly kind: 'too-long' }
  )

/** Bytes: an exchange of 512 KB with every character escaped, and as much besides. */
const maxLineBytes = 8 * 1024 * 1024

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
