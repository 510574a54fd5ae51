import { ratio, type Sample, summarize } from '../measure/sample.ts'
import type { TargetId } from '../targets/target.ts'
import { type FigureRow, figureRows } from './figures.ts'
import { renderTable } from './render-table.ts'

export interface Report {
  /** Date of the run, as in `2026-01-31`. */
  readonly date: string
  readonly machine: string
  readonly node: string
  readonly command: string
  readonly rounds: number
  readonly targets: readonly TargetId[]
  readonly samples: readonly Sample[]
  /** Remarks that a reader needs in order to trust the figures. */
  readonly notes: readonly string[]
}

const columns = ['fleet', 'portkey', 'litellm', 'two-hops', 'one-hop', 'nginx'] as const
const names = ['Ratchet', 'Portkey', 'LiteLLM', 'two Node hops', 'one Node hop', 'nginx']
const heads = ['figure', 'must', 'aim', ...names, '÷ Portkey']

/** The report as Markdown. */
export function renderReport(report: Report): string {
  const head = [
    `Measured ${report.date} with \`${report.command}\` on ${report.machine}, Node ${report.node}:`,
    `medians of ${report.rounds} rounds (least–most), everything on loopback, each target on one core. Ratchet runs as by`,
    '`npm start`, with keys, ledger and logging; the others charge and log nothing. Limits with × are ratios to Portkey.',
  ]
  return `${[...head, '', ...renderFigures(report), '', ...report.notes.map((note) => `* ${note}`)].join('\n').trim()}\n`
}

/** The table of the report, which the README shows too. */
export function renderFigures(report: Pick<Report, 'samples'>): string[] {
  const rows = figureRows.filter(({ figure }) => report.samples.some((sample) => sample.figure === figure))
  return renderTable([heads, ...rows.map((row) => cellsOf(report.samples, row))])
}

function cellsOf(samples: readonly Sample[], row: FigureRow): string[] {
  const { figure, title, unit, bounds, must, aim } = row
  const measured = columns.map((target) => describeFigure(samples, target, figure))
  const [fleet = '–', ...others] = measured
  const times = ratio(samples, { figure, target: 'fleet', to: 'portkey' })
  const ratioText = times === null ? '–' : `${times.toFixed(times < 0.1 ? 3 : 2)}×`
  const isRatio = bounds === 'ratio'
  const median = summarize(samples, 'fleet', figure)?.median
  return [
    `${title}, ${unit}`,
    describeBound(must, isRatio),
    describeBound(aim, isRatio),
    isRatio ? fleet : marked(fleet, median, must),
    ...others,
    isRatio ? marked(ratioText, times, must) : ratioText,
  ]
}

function describeFigure(samples: readonly Sample[], target: TargetId, figure: string): string {
  const summary = summarize(samples, target, figure)
  if (summary === null) return '–'
  const { median, least, most } = summary
  return least === most ? format(median) : `${format(median)} (${format(least)}–${format(most)})`
}

/** The text with a sign whether the value is within its limit. */
function marked(text: string, value: number | null | undefined, limit: number | undefined): string {
  if (value === null || value === undefined || limit === undefined) return text
  return `${text} ${value <= limit ? '✓' : '✗'}`
}

function describeBound(value: number | undefined, isRatio: boolean): string {
  return value === undefined ? '–' : `≤ ${format(value)}${isRatio ? '×' : ''}`
}

/** Three significant digits, with thin spaces between groups of thousands. */
export function format(value: number): string {
  const size = Math.abs(value)
  const digits = size >= 99.5 ? 0 : size >= 9.95 ? 1 : 2
  return value.toFixed(Number.isInteger(value) ? 0 : digits).replace(/\B(?=(\d{3})+$)/g, ' ')
}
