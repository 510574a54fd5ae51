import { runService } from '@ratchet/service-kit/process/run-service'
import { JudgingConfig, startJudging } from './start.ts'

await runService({ name: 'judging', schema: JudgingConfig, start: startJudging, env: process.env })
