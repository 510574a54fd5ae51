import type { ExportFigure, ReadFigure } from './measure-reads.ts'
import type { LogSize } from './measure-size.ts'

export interface LogReadReport extends LogSize {
  readonly rounds: number
  readonly date: string
  readonly machine: string
  readonly reads: readonly ReadFigure[]
  readonly exported: ExportFigure
}

/** The figures as Markdown. */
export function renderReads({ exchanges, bytes, rounds, date, machine, reads, exported }: LogReadReport): string {
  const rows = reads.map(
    ({ name, p50, p95, bytes }) => `| ${name} | ${p50.toFixed(1)} | ${p95.toFixed(1)} | ${bytes} |`,
  )
  return `${[
    `# Reading a log of ${exchanges.toLocaleString('en')} exchanges`,
    '',
    `${date}, ${machine}. Milliseconds of a whole request through the edge, pages of 50, one request at a time, ${rounds} requests each.`,
    '',
    '| what | p50 | p95 | bytes |',
    '| --- | --: | --: | --: |',
    ...rows,
    '',
    sizeLine(bytes),
    '',
    exportLine(exported),
  ].join('\n')}\n`
}

function sizeLine({ rows, indexes, contents }: LogSize['bytes']): string {
  const [all, ...parts] = [rows + indexes + contents, rows, indexes, contents].map((size) => size.toFixed(0))
  return `Size: ${all} bytes an exchange: ${parts[0]} of rows, ${parts[1]} of indexes, ${parts[2]} of contents.`
}

function exportLine({ lines, bytes, seconds, memoryMb }: ExportFigure): string {
  const memory =
    memoryMb === null
      ? ''
      : `; the service held ${memoryMb[0].toFixed(0)} MB before and ${memoryMb[1].toFixed(0)} MB at most`
  return `Export: ${lines.toLocaleString('en')} lines, ${(bytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s${memory}.`
}
