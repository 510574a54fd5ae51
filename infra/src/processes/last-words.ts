import { formatLogLine } from '../fleet/format-log-line.ts'

const maxLines = 6

/**
 * The lines that explain why a process ended: from its last error on, without the stack, or else its last lines.
 *
 * @param lines the last part of its output
 */
export function lastWords(lines: readonly string[]): readonly string[] {
  const spoken = lines.filter((line) => line.trim() !== '' && !/^\s+at |^Node\.js v/.test(line)).map(formatLogLine)
  const cause = spoken.findLastIndex((line) =>
    /^(\w*Error\b|Invalid |\d\d:\d\d:\d\d FATAL)|\b(FATAL|PANIC):/.test(line),
  )
  if (cause === -1) return spoken.slice(-maxLines)
  const place = spoken.slice(0, cause).findLast((line) => /^(file:\/\/)?\/\S+:\d+$/.test(line))
  return [...spoken.slice(cause, cause + maxLines), ...(place === undefined ? [] : [`at ${place}`])]
}
