import { parseArgs } from 'node:util'
import { wholeNumber } from '../whole-number.ts'

export interface WorkerBenchOptions {
  /** Judgements of each measurement. */
  readonly judgements: number
  /** Duration of every verdict, milliseconds. */
  readonly latencyMs: number
  /** `JUDGE_CONCURRENCY` of each worker. */
  readonly concurrency: number
  /** Numbers of workers; one measurement for each. */
  readonly workers: readonly number[]
}

/** @throws ReadableError for an unknown option or value */
export function parseWorkerBenchOptions(args: readonly string[]): WorkerBenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      judgements: { type: 'string', default: '960' },
      'latency-ms': { type: 'string', default: '1000' },
      concurrency: { type: 'string', default: '16' },
      workers: { type: 'string', default: '1,2,4' },
    },
  })
  return {
    judgements: wholeNumber('judgements', values.judgements, { least: 5, most: 2_000 }),
    latencyMs: wholeNumber('latency-ms', values['latency-ms'], { least: 0, most: 60_000 }),
    concurrency: wholeNumber('concurrency', values.concurrency, { least: 1, most: 200 }),
    workers: values.workers.split(',').map((each) => wholeNumber('workers', each, { least: 1, most: 16 })),
  }
}
