import { elapse } from '@ratchet/testing/elapse'
import { destination, pino } from 'pino'
import { type LoadedService, runServices } from './run-services.ts'

/*
 * A process for run-services.int.test.ts with an API and two workers, of which `broken` cannot start:
 * `node run-services.fixture.ts [broken]`.
 */

/** One for all loggers, so that their lines are in the order in which they were logged. */
const stdout = destination({ dest: 1, sync: true })

function service(name: string): LoadedService {
  const logger = pino({ base: null, timestamp: false, msgPrefix: `${name}: ` }, stdout)
  return {
    name,
    config: { PORT: 0, HOST: '127.0.0.1', LOG_LEVEL: 'info', DRAIN_DELAY_MS: 0, DRAIN_TIMEOUT_MS: 1_000 } as never,
    logger,
    async start({ onStop }) {
      if (process.argv[2] === name) throw new Error(`${name} cannot start`)
      if (name === 'worker') await elapse(100)
      const timer = setInterval(() => undefined, 1_000)
      onStop(() => clearInterval(timer))
      onStop(() => logger.info('stopping'))
      return 1
    },
  }
}

await runServices('together', [[service('api')], [service('worker'), service('broken')]])
