import { runService } from '@ratchet/service-kit/process/run-service'
import { AliasWorkerConfig, startAliasWorker } from './start-worker.ts'

await runService({ name: 'alias-worker', schema: AliasWorkerConfig, start: startAliasWorker, env: process.env })
