import { runService } from '@ratchet/service-kit/process/run-service'
import { LoggingConfig, startLogging } from './start.ts'

await runService({ name: 'logging', schema: LoggingConfig, start: startLogging, env: process.env })
