import type { FramePacer } from '@ratchet/audio/create-frame-pacer'
import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import type { OpenRecorder } from '../recordings/call-recorder.ts'
import type { CallWork } from './call-work.ts'
import type { CallWriters } from './call-writers.ts'
import type { CallSpeech } from './prepared-call.ts'
import type { SpokenSeal } from './spoken-seal.ts'

/** What a worker needs to hold calls. */
export interface HoldCallDeps {
  readonly work: CallWork
  readonly writers: CallWriters
  readonly spoken: SpokenSeal
  readonly openSpeech: (spec: AgentSpec, sampleRate: number) => CallSpeech
  readonly openRecorder: OpenRecorder
  readonly pacer: FramePacer
  readonly now: () => Date
  /** A monotonic clock. */
  readonly nowMs: () => number
  readonly pause: (ms: number) => Promise<void>
  readonly onError: (error: unknown, call: { readonly callId: string }) => void
}
