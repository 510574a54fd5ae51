import { oneLine } from './printable.ts'

/** The beginning of a text as one line. */
export function cut(text: string, characters: number): string {
  const line = oneLine(text)
  return line.length <= characters ? line : `${line.slice(0, characters - 1)}…`
}
