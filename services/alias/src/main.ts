import { loadConfig } from '@ratchet/service-kit/config'
import { createLogger } from '@ratchet/service-kit/logger'
import { runProcess } from '@ratchet/service-kit/run-process'
import { AliasConfig, startAlias } from './start.ts'

const config = loadConfig(AliasConfig, process.env)
const logger = createLogger('alias', config.LOG_LEVEL)
const graceMs = config.DRAIN_DELAY_MS + config.DRAIN_TIMEOUT_MS + 20_000

await runProcess(logger, (lifecycle) => startAlias(config, logger, lifecycle), { graceMs })
