import { loadConfig } from '@ratchet/service-kit/config'
import { createLogger } from '@ratchet/service-kit/logger'
import { runProcess } from '@ratchet/service-kit/run-process'
import { JudgingWorkerConfig, startJudgingWorker } from './start-worker.ts'

const config = loadConfig(JudgingWorkerConfig, process.env)
const logger = createLogger('judging-worker', config.LOG_LEVEL)
const graceMs = config.DRAIN_DELAY_MS + config.DRAIN_TIMEOUT_MS + 20_000

await runProcess(logger, (lifecycle) => startJudgingWorker(config, logger, lifecycle), { graceMs })
