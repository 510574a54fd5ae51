import { formatLogLine } from './format-log-line.ts'

const maxLines = 6

/**
 * What a process that ended had to say about it: from the last error on, without the stack, or its last lines.
 *
 * @param lines everything it printed lately
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
