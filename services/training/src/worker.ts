import { runService } from '@ratchet/service-kit/process/run-service'
import { startTrainingWorker, TrainingWorkerConfig } from './start-worker.ts'

await runService({
  name: 'training-worker',
  schema: TrainingWorkerConfig,
  start: startTrainingWorker,
  env: process.env,
})
