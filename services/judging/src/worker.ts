import { runService } from '@ratchet/service-kit/process/run-service'
import { startJudgingWorker } from './start-worker.ts'
import { JudgingWorkerConfig } from './worker-config.ts'

await runService({ name: 'judging-worker', schema: JudgingWorkerConfig, start: startJudgingWorker, env: process.env })
