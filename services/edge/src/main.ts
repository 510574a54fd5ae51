import { runService } from '@ratchet/service-kit/process/run-service'
import { EdgeConfig, startEdge } from './start.ts'

await runService({ name: 'edge', schema: EdgeConfig, start: startEdge, env: process.env })
