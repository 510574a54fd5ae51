import { loadConfig } from '@ratchet/service-kit/config'
import { createLogger } from '@ratchet/service-kit/logger'
import { runProcess } from '@ratchet/service-kit/run-process'
import { LoggingConfig, startLogging } from './start.ts'

const config = loadConfig(LoggingConfig, process.env)
const logger = createLogger('logging', config.LOG_LEVEL)
const graceMs = config.DRAIN_DELAY_MS + config.DRAIN_TIMEOUT_MS + 20_000

await runProcess(logger, (lifecycle) => startLogging(config, logger, lifecycle), { graceMs })
