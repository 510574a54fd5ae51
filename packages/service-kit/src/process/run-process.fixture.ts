import { traceWork } from '@ratchet/telemetry/spans'
import { pino } from 'pino'
import { type Lifecycle, runProcess } from './run-process.ts'

/*
 * A process for run-process.int.test.ts: `node run-process.fixture.ts <scenario>`. It logs to standard output.
 */

const logger = pino({ base: null, timestamp: false })

let starts = 0

/** Each keeps the process alive until it is stopped. */
const scenarios: Record<string, (lifecycle: Lifecycle) => Promise<void>> = {
  async orderly({ onStop }) {
    keepAlive(onStop)
    for (const name of ['first', 'second', 'third']) onStop(async () => logger.info(`stopping ${name}`))
  },
  async failing({ onStop }) {
    keepAlive(onStop)
    onStop(() => logger.info('stopping the last'))
    onStop(async () => {
      throw new Error('would not stop')
    })
    onStop(() => {
      throw new Error('would not stop either')
    })
  },
  async hurrying({ onStop, hurry }) {
    keepAlive(onStop)
    onStop(async () => {
      logger.info('waiting')
      await new Promise((resolve) => hurry.addEventListener('abort', resolve))
      logger.info('hurried')
    })
  },
  async stuck({ onStop }) {
    keepAlive(onStop)
    onStop(() => {
      logger.info('waiting')
      return new Promise(() => undefined)
    })
  },
  async traced({ onStop }) {
    keepAlive(onStop)
    onStop(() => traceWork('last work', {}, async () => undefined))
  },
  async early({ onStop }) {
    starts += 1
    onStop(() => logger.info(`stopping start ${starts}`))
    if (starts < 3) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
    keepAlive(onStop)
  },
  async lonely({ onStop }) {
    onStop(() => logger.info('stopping the first part'))
    throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  },
  async broken({ onStop }) {
    keepAlive(onStop)
    onStop(() => logger.info('stopping the first part'))
    throw new Error('no database')
  },
}

function keepAlive(onStop: Lifecycle['onStop']): void {
  const timer = setInterval(() => undefined, 1_000)
  onStop(() => clearInterval(timer))
}

const start = scenarios[process.argv[2] ?? '']
if (start === undefined) throw new Error(`no scenario ${process.argv[2]}`)
await runProcess(logger, start, { graceMs: process.argv[2] === 'stuck' ? 200 : 10_000 })
