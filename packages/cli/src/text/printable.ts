import type { Answer } from '../answer.ts'

/** Names and messages come from elsewhere; they must not move the cursor or turn the line around. */
export function withoutControls(answer: Answer): Answer {
  return { ...answer, text: printable(answer.text) }
}

/** Text without control and format characters, its lines kept. */
export function printable(text: string): string {
  return text.replace(/[^\P{C}\n]/gu, ' ')
}

/** What somebody else said, within a line of ours. */
export function oneLine(text: string): string {
  return printable(text).replaceAll('\n', ' ').trim()
}
