import { runService } from '@ratchet/service-kit/process/run-service'
import { EvalWorkerConfig, startEvalWorker } from './start-worker.ts'

await runService({ name: 'eval-worker', schema: EvalWorkerConfig, start: startEvalWorker, env: process.env })
