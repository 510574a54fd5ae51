import { runService } from '@ratchet/service-kit/process/run-service'
import { AliasConfig, startAlias } from './start.ts'

await runService({ name: 'alias', schema: AliasConfig, start: startAlias, env: process.env })
