import { type Sample, summarize } from '../measure/sample.ts'
import { format } from './render-report.ts'
import { renderTable } from './render-table.ts'

interface SizingRow {
  readonly what: string
  readonly figure: string
  /** What is counted, for "carries". */
  readonly unit: string
}

const rows: readonly SizingRow[] = [
  { what: 'one edge, small plain requests', figure: 'chat-cpu-us of edge', unit: 'requests' },
  { what: 'one inference', figure: 'chat-cpu-us of inference', unit: 'requests' },
  { what: 'one logging worker, small exchanges', figure: 'chat-cpu-us of logging-worker', unit: 'exchanges' },
  { what: 'Postgres: key, hold, settle, log', figure: 'chat-cpu-us of postgres', unit: 'requests' },
  { what: 'all processes, small plain requests', figure: 'chat-cpu-us', unit: 'requests' },
  { what: 'a streamed event, all processes', figure: 'stream-event-cpu-us', unit: 'events' },
  { what: 'a request with 64 KB of prose, all processes', figure: 'prompt64k-cpu-us', unit: 'requests' },
]

/** How much one core carries: a section of Markdown whose rows are those of the sizing table of docs/operations.md. */
export function renderSizing(samples: readonly Sample[]): string {
  const lines = rows.flatMap(({ what, figure, unit }) => {
    const cpuUs = summarize(samples, 'fleet', figure)?.median
    return cpuUs === undefined || cpuUs === 0 ? [] : [sizingLine({ what, unit, cpuUs })]
  })
  const memory = summarize(samples, 'fleet', 'idle-pss-mb')?.median
  const memoryLine = ['memory of `npm start` after load', '–', `${format(memory ?? 0)} MB`, 'the same']
  const table = [['what', 'carries', 'CPU', 'measured with'], ...lines, ...(memory === undefined ? [] : [memoryLine])]
  return ['How much one core carries, for docs/operations.md:', '', ...renderTable(table), ''].join('\n')
}

function sizingLine({ what, unit, cpuUs }: { what: string; unit: string; cpuUs: number }): string[] {
  const perSecond = format(Number((1e6 / cpuUs).toPrecision(2)))
  return [what, `about ${perSecond} ${unit}/s on a full core`, `${format(cpuUs)} µs each`, '`npm run bench`']
}
