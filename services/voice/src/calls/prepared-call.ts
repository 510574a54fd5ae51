import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import type {
  EndJudge,
  Recognizer,
  RecognizerEvents,
  SpeechDetector,
  Synthesizer,
  ToolCaller,
} from '../engine/ports.ts'
import type { StoredCall, WrittenTurn } from './call.ts'
import type { CallMeter } from './call-money.ts'
import type { CallPlan } from './call-plan.ts'
import type { StoredTexts } from './stored-text.ts'

/** Speech of one call. */
export interface CallSpeech {
  readonly openRecognizer: (events: RecognizerEvents) => Recognizer
  readonly synthesizer: Synthesizer
  readonly detector: SpeechDetector
  readonly endJudge: EndJudge | null
}

/** A claimed call with everything that is needed to hold it. */
export interface PreparedCall {
  readonly call: StoredCall
  readonly spec: AgentSpec
  readonly plan: CallPlan
  /** Of the workers before. */
  readonly turns: readonly WrittenTurn[]
  readonly tools: ToolCaller
  readonly texts: StoredTexts
  readonly resumeToken: string
  readonly meter: CallMeter
}

/** Times go on behind those of the worker before, whose last seconds may not be counted yet. */
export function resumedFrom({ call, turns }: PreparedCall) {
  return { turns, elapsedMs: Math.max(call.usage.answeredMs, turns.at(-1)?.endMs ?? 0) }
}
