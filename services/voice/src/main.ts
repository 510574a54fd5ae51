import { runService } from '@ratchet/service-kit/process/run-service'
import { startVoice, VoiceConfig } from './start.ts'

await runService({ name: 'voice', schema: VoiceConfig, start: startVoice, env: process.env })
