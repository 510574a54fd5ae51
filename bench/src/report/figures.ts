/** One line of the report, with its budget. */
export interface FigureRow {
  readonly figure: string
  readonly title: string
  readonly unit: 'µs' | 'ms' | 'MB' | 'per s'
  /** Upper limits in the unit; absent = no limit. */
  readonly must?: number
  readonly aim?: number
}

/** All lines, in the order of the report. */
export const figureRows: readonly FigureRow[] = [
  { figure: 'chat-cpu-us', title: 'CPU per request', unit: 'µs', must: 300, aim: 195 },
  { figure: 'chat-per-second', title: 'most requests on one core', unit: 'per s' },
  { figure: 'stream-event-cpu-us', title: 'CPU per streamed event', unit: 'µs', must: 75, aim: 55 },
  { figure: 'prompt64k-cpu-us', title: 'CPU per request with a 64 KB prompt', unit: 'µs', must: 1_500, aim: 800 },
  { figure: 'latency-cpu-us', title: 'CPU per request at the rate of the latencies', unit: 'µs' },
  { figure: 'added-latency-p50-ms', title: 'added latency, p50', unit: 'ms', must: 2, aim: 1 },
  { figure: 'added-latency-p95-ms', title: 'added latency, p95', unit: 'ms' },
  { figure: 'added-latency-p99-ms', title: 'added latency, p99', unit: 'ms', must: 8, aim: 4 },
  { figure: 'added-ttfb-p50-ms', title: 'added time to first byte of a stream, p50', unit: 'ms', must: 2, aim: 1 },
  { figure: 'added-ttfb-p95-ms', title: 'added time to first byte of a stream, p95', unit: 'ms' },
]

/** Peak resident memory of one process that serves HTTP. */
export function memoryRow(process: string): FigureRow {
  return { figure: memoryFigure(process), title: `peak memory of ${process}`, unit: 'MB', must: 250, aim: 180 }
}

export function memoryFigure(process: string): string {
  return `peak-memory-mb ${process}`
}
