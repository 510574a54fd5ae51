import { loadConfig } from '@ratchet/service-kit/config'
import { createLogger } from '@ratchet/service-kit/logger'
import { runProcess } from '@ratchet/service-kit/run-process'
import { AliasWorkerConfig, startAliasWorker } from './start-worker.ts'

const config = loadConfig(AliasWorkerConfig, process.env)
const logger = createLogger('alias-worker', config.LOG_LEVEL)
const graceMs = config.DRAIN_DELAY_MS + config.DRAIN_TIMEOUT_MS + 20_000

await runProcess(logger, (lifecycle) => startAliasWorker(config, logger, lifecycle), { graceMs })
