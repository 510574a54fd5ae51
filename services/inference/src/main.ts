import { runService } from '@ratchet/service-kit/process/run-service'
import { InferenceConfig } from './config.ts'
import { startInference } from './start.ts'

await runService({ name: 'inference', schema: InferenceConfig, start: startInference, env: process.env })
