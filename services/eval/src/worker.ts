import { loadConfig } from '@ratchet/service-kit/config'
import { createLogger } from '@ratchet/service-kit/logger'
import { runProcess } from '@ratchet/service-kit/run-process'
import { EvalWorkerConfig, startEvalWorker } from './start-worker.ts'

const config = loadConfig(EvalWorkerConfig, process.env)
const logger = createLogger('eval-worker', config.LOG_LEVEL)
const graceMs = config.DRAIN_DELAY_MS + config.DRAIN_TIMEOUT_MS + 20_000

await runProcess(logger, (lifecycle) => startEvalWorker(config, logger, lifecycle), { graceMs })
