/** One line of the report, with its budget. */
export interface FigureRow {
  readonly figure: string
  readonly title: string
  readonly unit: 'µs' | 'ms' | 'MB' | 'per s' | 'ms per s'
  /** What the limits bound: Ratchet's figure, or Ratchet's divided by Portkey's. */
  readonly bounds?: 'figure' | 'ratio'
  /** Upper limits, in the unit or as a ratio; absent = no limit. */
  readonly must?: number
  readonly aim?: number
}

/** All lines, in the order of the report. */
export const figureRows: readonly FigureRow[] = [
  { figure: 'chat-cpu-us', title: 'CPU per request', unit: 'µs', bounds: 'ratio', must: 0.75, aim: 0.55 },
  { figure: 'chat-per-second', title: 'most requests on one core', unit: 'per s' },
  { figure: 'stream-event-cpu-us', title: 'CPU per streamed event', unit: 'µs', bounds: 'ratio', must: 1, aim: 0.7 },
  {
    figure: 'prompt64k-cpu-us',
    title: 'CPU per request, 64 KB of prose',
    unit: 'µs',
    bounds: 'ratio',
    must: 1.3,
    aim: 1,
  },
  { figure: 'secrets64k-cpu-us', title: 'CPU per request, 64 KB of key-like words', unit: 'µs' },
  { figure: 'latency-cpu-us', title: 'CPU per request at the rate of the latencies', unit: 'µs' },
  { figure: 'added-latency-p50-ms', title: 'added latency, p50', unit: 'ms', bounds: 'figure', must: 1.2, aim: 0.8 },
  { figure: 'added-latency-p95-ms', title: 'added latency, p95', unit: 'ms' },
  { figure: 'added-latency-p99-ms', title: 'added latency, p99', unit: 'ms', bounds: 'figure', must: 6, aim: 4 },
  { figure: 'added-ttfb-p50-ms', title: 'added time to first byte of a stream, p50', unit: 'ms' },
  { figure: 'added-ttfb-p95-ms', title: 'added time to first byte of a stream, p95', unit: 'ms' },
  { figure: 'idle-cpu-ms', title: 'CPU when idle', unit: 'ms per s', bounds: 'figure', must: 10, aim: 5 },
  { figure: 'fresh-pss-mb', title: 'memory (PSS) after the start', unit: 'MB', bounds: 'figure', must: 900, aim: 700 },
  {
    figure: 'idle-pss-mb',
    title: 'memory (PSS) when idle after the load',
    unit: 'MB',
    bounds: 'figure',
    must: 900,
    aim: 700,
  },
]
