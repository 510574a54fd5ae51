import { runService } from '@ratchet/service-kit/process/run-service'
import { EvalConfig, startEval } from './start.ts'

await runService({ name: 'eval', schema: EvalConfig, start: startEval, env: process.env })
