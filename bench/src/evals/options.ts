import { parseArgs } from 'node:util'
import { wholeNumber } from '../whole-number.ts'

export interface EvalBenchOptions {
  readonly samples: number
  /** Duration of every answer and every verdict, milliseconds. */
  readonly latencyMs: number
  /** `EVAL_CONCURRENCY` of the worker, one eval for each. */
  readonly concurrencies: readonly number[]
  /** Rate of the concurrent chats. */
  readonly chatsPerSecond: number
}

/** @throws ReadableError for an unknown option or value */
export function parseEvalBenchOptions(args: readonly string[]): EvalBenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      samples: { type: 'string', default: '500' },
      'latency-ms': { type: 'string', default: '200' },
      concurrency: { type: 'string', default: '16,64' },
      'chats-per-second': { type: 'string', default: '20' },
    },
  })
  return {
    samples: wholeNumber('samples', values.samples, { least: 5, most: 500 }),
    latencyMs: wholeNumber('latency-ms', values['latency-ms'], { least: 0, most: 60_000 }),
    concurrencies: values.concurrency
      .split(',')
      .map((each) => wholeNumber('concurrency', each, { least: 1, most: 200 })),
    chatsPerSecond: wholeNumber('chats-per-second', values['chats-per-second'], { least: 1, most: 1_000 }),
  }
}
