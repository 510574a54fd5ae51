import { loadConfig } from '@ratchet/service-kit/config'
import { createLogger } from '@ratchet/service-kit/logger'
import { runProcess } from '@ratchet/service-kit/run-process'
import { EdgeConfig, startEdge } from './start.ts'

const config = loadConfig(EdgeConfig, process.env)
const logger = createLogger('edge', config.LOG_LEVEL)

await runProcess(logger, (lifecycle) => startEdge(config, logger, lifecycle))
