import { loadConfig } from '@ratchet/service-kit/config'
import { createLogger } from '@ratchet/service-kit/logger'
import { runProcess } from '@ratchet/service-kit/run-process'
import { InferenceConfig } from './config.ts'
import { startInference } from './start.ts'

const config = loadConfig(InferenceConfig, process.env)
const logger = createLogger('inference', config.LOG_LEVEL)
const graceMs = config.DRAIN_DELAY_MS + config.DRAIN_TIMEOUT_MS + 20_000

await runProcess(logger, (lifecycle) => startInference(config, { logger, lifecycle, env: process.env }), { graceMs })
