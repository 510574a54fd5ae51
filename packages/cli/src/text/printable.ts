import type { Answer } from '../answer.ts'

/** Characters of foreign texts that could move the cursor or change the direction of the line. */
export function withoutControls(answer: Answer): Answer {
  return { ...answer, text: printable(answer.text) }
}

/** Removes control and format characters, but keeps line breaks. */
export function printable(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, ' ')
}

/** Foreign text for use within a line. */
export function oneLine(text: string): string {
  return printable(text).replaceAll('\n', ' ').trim()
}
