import { runService } from '@ratchet/service-kit/process/run-service'
import { startTraining, TrainingConfig } from './start.ts'

await runService({ name: 'training', schema: TrainingConfig, start: startTraining, env: process.env })
