import { ratio, type Sample, summarize } from '../measure/sample.ts'
import type { TargetId } from '../targets/target.ts'
import { type FigureRow, figureRows, memoryRow } from './figures.ts'

export interface Report {
  /** Date of the run, as in `2026-01-31`. */
  readonly date: string
  readonly machine: string
  readonly node: string
  readonly command: string
  readonly rounds: number
  readonly targets: readonly TargetId[]
  /** Names of the fleet's processes that serve HTTP. */
  readonly fleetProcesses: readonly string[]
  readonly samples: readonly Sample[]
  /** Remarks that a reader needs in order to trust the figures. */
  readonly notes: readonly string[]
}

const heads = ['figure', 'must', 'aim', 'Ratchet', 'two Node hops', 'one Node hop', 'nginx', '÷ two hops', '÷ nginx']

/** The report as Markdown. Its table is padded, so that it is readable in a terminal too. */
export function renderReport(report: Report): string {
  const rows = [...figureRows, ...report.fleetProcesses.map(memoryRow)].filter(({ figure }) =>
    report.samples.some((sample) => sample.figure === figure),
  )
  const head = [
    `Measured ${report.date} with \`${report.command}\` on ${report.machine}, Node ${report.node}:`,
    `medians of ${report.rounds} rounds (least–most), everything on loopback, each target on one core.`,
  ]
  const table = renderTable([heads, ...rows.map((row) => cells(report, row))])
  return `${[...head, '', ...table, '', ...report.notes.map((note) => `* ${note}`)].join('\n').trim()}\n`
}

function cells({ samples }: Report, row: FigureRow): string[] {
  const { figure, title, unit, must, aim } = row
  const measured = (['fleet', 'two-hops', 'one-hop', 'nginx'] as const).map((target) => {
    const summary = summarize(samples, target, figure)
    if (summary === null) return '–'
    const { median, least, most } = summary
    const spread = least === most ? '' : ` (${format(least)}–${format(most)})`
    return `${format(median)}${spread}`
  })
  const [fleet = '–', ...others] = measured
  const ratios = (['two-hops', 'nginx'] as const).map((to) => {
    const times = ratio(samples, { figure, target: 'fleet', to })
    return times === null ? '–' : `${times.toFixed(times < 0.1 ? 3 : 2)}×`
  })
  const median = summarize(samples, 'fleet', figure)?.median
  return [
    `${title}, ${unit}`,
    bound(must),
    bound(aim),
    median === undefined || must === undefined ? fleet : `${fleet} ${median <= must ? '✓' : '✗'}`,
    ...others,
    ...ratios,
  ]
}

function bound(value: number | undefined): string {
  return value === undefined ? '–' : `≤ ${format(value)}`
}

/** Three significant digits, with thin spaces between groups of thousands. */
export function format(value: number): string {
  const size = Math.abs(value)
  const digits = size >= 99.5 ? 0 : size >= 9.95 ? 1 : 2
  return value.toFixed(Number.isInteger(value) ? 0 : digits).replace(/\B(?=(\d{3})+$)/g, ' ')
}

function renderTable(lines: readonly (readonly string[])[]): string[] {
  const widths = heads.map((_, column) => Math.max(3, ...lines.map((cellsOfLine) => cellsOfLine[column]?.length ?? 0)))
  const [head = '', ...body] = lines.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  )
  return [head, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body]
}
