import { runService } from '@ratchet/service-kit/process/run-service'
import { startVoiceWorker, VoiceWorkerConfig } from './start-worker.ts'

await runService({ name: 'voice-worker', schema: VoiceWorkerConfig, start: startVoiceWorker, env: process.env })
