import type { CliIo } from '../cli-io.ts'
import { inTime } from '../text/in-words.ts'
import { createLineDisplay, type LineDisplay } from './line-display.ts'

/** How much was done when the work was first seen to run, and that time. */
export interface FirstLook {
  readonly done: number
  readonly atMs: number
}

/** Shows the progress of something on standard error. */
interface ProgressDisplay<T> extends Omit<LineDisplay, 'show'> {
  show(seen: T): void
}

interface ProgressKind<T> {
  readonly doneOf: (seen: T) => number
  /** True until it runs: no speed is known before. */
  readonly isWaiting: (seen: T) => boolean
  readonly textOf: (seen: T, first: FirstLook, nowMs: number) => string
  /** What precedes the text on a terminal that has so many columns left. */
  readonly barOf?: (seen: T, room: number) => string
}

/** One line, with the id of what is shown where it is not a terminal. */
export function createProgressDisplay<T extends { readonly id: string }>(
  io: CliIo,
  { doneOf, isWaiting, textOf, barOf = () => '' }: ProgressKind<T>,
): ProgressDisplay<T> {
  const display = createLineDisplay(io)
  let first: FirstLook | null = null
  return {
    ...display,
    show: (seen) => {
      const nowMs = io.now().getTime()
      if (first === null || isWaiting(seen)) first = { done: doneOf(seen), atMs: nowMs }
      const text = textOf(seen, first, nowMs)
      display.show({
        onTerminal: (columns) => barOf(seen, columns - text.length - 1) + text,
        inLog: `${seen.id}: ${text}`,
      })
    },
  }
}

/** At the speed since the first look, because work may wait before it runs; nothing before any is known. */
export function timeLeft(
  { done, total }: { readonly done: number; readonly total: number },
  first: FirstLook,
  nowMs: number,
): readonly string[] {
  const sinceThen = done - first.done
  if (sinceThen <= 0) return []
  return [`about ${inTime(((nowMs - first.atMs) / sinceThen) * (total - done))} left`]
}
