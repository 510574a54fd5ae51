import type { Arm } from '@ratchet/contracts/internal-alias'
import type { CallEventKind } from '@ratchet/contracts/voice/call-events'
import type {
  CallCarrier,
  CallDirection,
  CallEnder,
  CallStatus,
  CallType,
  TurnLatency,
} from '@ratchet/contracts/voice/calls'
import type { EndReason } from '@ratchet/contracts/voice/end-reasons'
import type { NumberProvider } from '@ratchet/contracts/voice/number-providers'
import type { VoiceEnvironment } from '@ratchet/contracts/voice/voice-key'
import type { SealedSecret } from '@ratchet/service-kit/identity/secret-box'
import type { Turn } from '../engine/call-events.ts'
import type { SpokenPiece } from '../heard/utterance.ts'
import type { Answerer } from '../voicemail/screen-answer.ts'
import type { CallUsage } from './call-money.ts'

export interface CallKey {
  readonly workspaceId: string
  /** UUID. */
  readonly id: string
}

/** What a call has instead of the settings of its agent. */
export interface CallOverrides {
  readonly firstMessage?: string | null
  readonly maxDurationSeconds?: number
}

/** How the caller is reached: connects with a token, or is called. */
export type NewLine =
  | { readonly type: 'web'; readonly tokenHash: Uint8Array; readonly tokenExpiresAt: Date }
  | ({ readonly type: 'phone' } & PhoneLine)

export interface PhoneLine {
  readonly provider: NumberProvider
  readonly direction: CallDirection
  /** UUID of the workspace's number. */
  readonly numberId: string
  readonly toNumber: string
  /** Null: the carrier states none. */
  readonly fromNumber: string | null
}

/** The arm that a canary chose, and the split in which it did. */
export interface ChosenArm {
  readonly arm: Arm
  readonly epoch: number
}

export interface NewCall extends CallKey {
  readonly userId: string
  readonly agentId: string
  readonly agentVersion: number
  readonly chosen: ChosenArm | null
  /** UUIDs of judges of whole calls. */
  readonly criterionIds: readonly string[]
  readonly env: VoiceEnvironment
  readonly overrides: CallOverrides
  /** Those that are not secret. */
  readonly variables: Readonly<Record<string, string>>
  /** Null: no variable is secret. */
  readonly secretVariables: SealedSecret | null
  readonly metadata: Readonly<Record<string, unknown>>
  readonly line: NewLine
  /** A call to a telephone is not dialed before. */
  readonly dueAt: Date | null
  readonly retentionDays: number
  readonly at: Date
}

/** What the agent is saying, so that another worker knows what the caller heard of it. */
export interface SpokenNow {
  readonly utterance: number
  readonly startMs: number
  readonly pieces: readonly SpokenPiece[]
}

export interface StoredCall extends CallKey {
  readonly userId: string
  readonly agentId: string
  readonly agentVersion: number
  readonly arm: Arm | null
  readonly env: VoiceEnvironment
  readonly type: CallType
  /** Null: a web call. */
  readonly phone: (PhoneLine & { readonly carrier: CallCarrier | null }) | null
  readonly status: CallStatus
  readonly endedReason: EndReason | null
  readonly endedBy: CallEnder | null
  readonly overrides: CallOverrides
  readonly variables: Readonly<Record<string, string>>
  readonly secretVariables: SealedSecret | null
  readonly metadata: Readonly<Record<string, unknown>>
  readonly generation: number
  readonly usage: CallUsage
  /** Sealed; null: nothing. */
  readonly spokenNow: string | null
  readonly createdAt: Date
  readonly dueAt: Date | null
  readonly answeredAt: Date | null
  readonly endedAt: Date | null
  readonly erasedAt: Date | null
}

/** A turn of a call, as it is written. */
export interface WrittenTurn extends Turn {
  readonly index: number
  /** Of the agent: what the caller waited for. */
  readonly latency: TurnLatency | null
}

export interface CallEventBody {
  readonly kind: CallEventKind
  /** Since the call was answered; null before. */
  readonly atMs: number | null
  readonly body: Readonly<Record<string, unknown>>
}

export interface StoredCallEvent extends CallEventBody {
  readonly seq: number
}

/** What was found out in a call; null: not yet, or it was not asked. */
export interface CallFindings {
  /** What the caller said to being recorded. */
  readonly consent: 'granted' | 'refused' | null
  readonly answeredBy: Answerer | null
}

/** How a call ended. */
export interface CallEnd {
  readonly status: Extract<CallStatus, 'completed' | 'voicemail' | 'canceled' | 'no_answer' | 'busy' | 'failed'>
  readonly reason: EndReason
  readonly by: CallEnder
}

/** What the API asks of the worker that holds a call. */
export type WorkerCommand =
  | { readonly kind: 'stop' }
  | { readonly kind: 'say'; readonly text: string; readonly interrupt: boolean }
  /** `to` is a number in E.164. */
  | { readonly kind: 'transfer'; readonly to: string }

const live: ReadonlySet<CallStatus> = new Set(['queued', 'dialing', 'ringing', 'in_progress'])

export const isOver = ({ status }: Pick<StoredCall, 'status'>): boolean => !live.has(status)

/** The encryption context of the secret variables of a call. */
export const callSecretPlace = ({ workspaceId, id }: CallKey): string[] => ['voice call', workspaceId, id]
