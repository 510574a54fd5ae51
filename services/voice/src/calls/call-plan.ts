import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import { type CallSettings, endCallTool, type ToolManner, type VoicemailSettings } from '../engine/call-settings.ts'
import type { StoredTool } from '../tools/voice-tool.ts'
import type { CallOverrides } from './call.ts'
import { fillIn } from './call-variables.ts'
import type { DescribedTool, WriterSettings } from './call-writers.ts'
import { describedKeys, keysManner, keysTool } from './keys-tool.ts'
import { spokenLines } from './spoken-lines.ts'
import { describeTransfer, transferManner, transferTool } from './transfer-tool.ts'

/** How a call is held: all of it follows from the version of its agent and from what the call itself states. */
export interface CallPlan {
  readonly settings: CallSettings
  readonly writer: WriterSettings
}

export interface PlanInput {
  readonly spec: AgentSpec
  /** Those of the agent that still exist. */
  readonly tools: readonly Pick<StoredTool, 'name' | 'settings'>[]
  readonly overrides: CallOverrides
  readonly variables: Readonly<Record<string, string>>
  /** Whether the line is of a carrier, who can connect the caller with others, and passes on keys. */
  readonly isTelephone: boolean
  /** Whether the agent called. */
  readonly isDialed: boolean
  /** Whether another worker began the call. */
  readonly isResumed: boolean
}

export function planCall(input: PlanInput): CallPlan {
  const { spec, tools, overrides, variables } = input
  const { language, turn_taking: turns } = spec
  const { filler, apology } = spokenLines(language)
  const transfers = input.isTelephone ? spec.transfers : []
  const canPress = input.isTelephone && spec.dtmf.can_send === true
  const settings: CallSettings = {
    language,
    firstMessage: firstMessageOf(input),
    // A question whether the call may be recorded is heard to its end.
    isFirstMessageInterruptible: turns.first_message_interruptible && !asksForConsent(spec),
    endpointing: {
      detector: turns.detector,
      minEndpointMs: turns.min_endpoint_ms,
      maxEndpointMs: turns.max_endpoint_ms,
      language,
    },
    interrupting: { sensitivity: spec.interruption_sensitivity, language, backchannels: turns.backchannels },
    keypad: spec.dtmf.enabled ? { finishOn: spec.dtmf.finish_on, timeoutMs: spec.dtmf.timeout_ms } : null,
    voicemail: voicemailOf(input),
    silenceTimeoutMs: spec.silence_timeout_seconds * 1_000,
    reminders: spec.reminders.map((line) => fillIn(line, variables)),
    maxDurationMs: (overrides.maxDurationSeconds ?? spec.max_duration_seconds) * 1_000,
    tools: Object.fromEntries([
      ...tools.map(({ name, settings: tool }) => [name, mannerOf(tool)] as const),
      ...(transfers.length > 0 ? [[transferTool, transferManner] as const] : []),
      ...(canPress ? [[keysTool, keysManner] as const] : []),
    ]),
    canEndCall: spec.end_call,
    lines: { filler, apology },
  }
  const writer: WriterSettings = {
    model: spec.model,
    systemPrompt: fillIn(spec.system_prompt, variables),
    temperature: spec.temperature,
    maxTokens: spec.max_response_tokens,
    tools: [
      ...tools.map(describe),
      ...(transfers.length > 0 ? [describeTransfer(transfers)] : []),
      ...(canPress ? [describedKeys] : []),
      ...(spec.end_call ? [endCall] : []),
    ],
  }
  return { settings, writer }
}

function firstMessageOf({ spec, overrides, variables, isResumed }: PlanInput): string | null {
  const { resumed, disclosure } = spokenLines(spec.language)
  if (isResumed) return resumed
  const own = overrides.firstMessage === undefined ? spec.first_message : overrides.firstMessage
  const message = spec.first_message_mode === 'agent_speaks' && own !== null ? fillIn(own, variables) : null
  const isSaid = spec.recording_enabled && spec.recording_consent !== 'none'
  const consent = isSaid && spec.consent_text !== null ? fillIn(spec.consent_text, variables) : null
  // An announcement comes before everything else; a question is the last that is said.
  const said = asksForConsent(spec) ? [message, consent] : [consent, message]
  const parts = [spec.ai_disclosure ? disclosure : null, ...said].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join(' ')
}

/** Who answers is found out once, in calls that the agent makes. */
function voicemailOf({ spec: { voicemail }, variables, isDialed, isResumed }: PlanInput): VoicemailSettings | null {
  if (!voicemail.detect || !isDialed || isResumed) return null
  const { action, message } = voicemail
  return { message: action === 'message' && message !== null ? fillIn(message, variables) : null }
}

/** Whether nothing of a call is recorded before the caller has said yes. */
export function asksForConsent(spec: Pick<AgentSpec, 'recording_enabled' | 'recording_consent'>): boolean {
  return spec.recording_enabled && spec.recording_consent === 'ask'
}

function mannerOf({ speak_after_ms: speakAfterMs, filler }: StoredTool['settings']): ToolManner {
  return { speakAfterMs, filler }
}

function describe({ name, settings: { description, parameters } }: PlanInput['tools'][number]): DescribedTool {
  return { name, description, parameters }
}

const endCall: DescribedTool = {
  name: endCallTool,
  description: 'Ends the call. Call it after the last words, when the caller needs nothing else.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
}
