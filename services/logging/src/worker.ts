import { runService } from '@ratchet/service-kit/process/run-service'
import { LoggingWorkerConfig, startLoggingWorker } from './start-worker.ts'

await runService({ name: 'logging-worker', schema: LoggingWorkerConfig, start: startLoggingWorker, env: process.env })
