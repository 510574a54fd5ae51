import { publicId } from '@ratchet/contracts/public-id'
import type { Call, CallAnalysis, CallCosts, CallDetails, CallTurn } from '@ratchet/contracts/voice/calls'
import type { CallRecording } from '@ratchet/contracts/voice/recordings'
import type { StoredVerdict } from '../judgements/call-verdict.ts'
import type { RecordingInfo } from '../recordings/recording.ts'
import { waveBytes } from '../recordings/wave.ts'
import type { CallFindings, StoredCall, WrittenTurn } from './call.ts'
import type { CallCost } from './call-money.ts'

export function callReply(call: StoredCall): Call {
  const id = publicId('call', call.id)
  return {
    object: 'call',
    id,
    type: call.type,
    ...phoneReply(call),
    status: call.status,
    env: call.env,
    agent_id: publicId('agent', call.agentId),
    agent_version: call.agentVersion,
    arm: call.arm,
    trace_id: id,
    variables: { ...call.variables },
    metadata: { ...call.metadata },
    created_at: call.createdAt.toISOString(),
    schedule_at: call.dueAt?.toISOString() ?? null,
    answered_at: call.answeredAt?.toISOString() ?? null,
    ended_at: call.endedAt?.toISOString() ?? null,
    duration_seconds: call.answeredAt === null ? null : call.usage.answeredMs / 1_000,
    ended_reason: call.endedReason,
    ended_by: call.endedBy,
    worker_generations: call.generation,
  }
}

function phoneReply({ phone, erasedAt }: StoredCall) {
  if (phone === null) return { direction: null, number_id: null, to_number: null, from_number: null, carrier: null }
  const { direction, numberId, toNumber, fromNumber, carrier } = phone
  // Erased with what was said: the number of the other side.
  const isErased = erasedAt !== null
  return {
    direction,
    number_id: publicId('voiceNumber', numberId),
    to_number: isErased && direction === 'outbound' ? null : toNumber,
    from_number: isErased && direction === 'inbound' ? null : fromNumber,
    carrier,
  }
}

export interface CallParts {
  readonly call: StoredCall
  readonly turns: readonly WrittenTurn[]
  readonly cost: CallCost | null
  readonly verdicts: readonly StoredVerdict[]
  readonly recording: RecordingInfo | null
  readonly said: CallFindings
  readonly withTranscript: boolean
}

export function detailsReply(parts: CallParts): CallDetails {
  const { call, turns, cost, verdicts, recording, said, withTranscript } = parts
  const latencies = turns.flatMap(({ latency }) => latency ?? [])
  const totals = latencies.flatMap(({ total_ms: total }) => total ?? []).toSorted((a, b) => a - b)
  const costs = cost === null ? null : costsReply(cost)
  return {
    ...callReply(call),
    transcript: withTranscript && call.erasedAt === null ? turns.map(turnReply) : null,
    answered_by: said.answeredBy,
    consent: said.consent,
    recording: recording === null || call.erasedAt !== null ? null : recordingReply(recording),
    cost: costs,
    cost_usd: costs?.total_usd ?? null,
    analysis: analysisOf(verdicts),
    latency: { p50_ms: quantile(totals, 0.5), p95_ms: quantile(totals, 0.95), turns: latencies },
  }
}

function recordingReply({ samples, sampleRate, isPartial }: RecordingInfo): CallRecording {
  return {
    channels: 2,
    duration_ms: Math.round((samples * 1_000) / sampleRate),
    bytes: waveBytes(samples),
    partial: isPartial,
  }
}

function turnReply({ index, role, text, startMs, endMs, isInterrupted, playedMs, call }: WrittenTurn): CallTurn {
  return {
    index,
    role,
    text,
    start_ms: startMs,
    end_ms: endMs,
    interrupted: isInterrupted,
    said_ms: playedMs,
    tool_call: call === undefined ? null : { id: call.id, name: call.name, arguments: call.arguments },
  }
}

/** A verdict of a judge that is not trustworthy says nothing of success. */
function analysisOf(verdicts: readonly StoredVerdict[]): CallAnalysis | null {
  if (verdicts.length === 0) return null
  const trusted = verdicts.filter(({ state, trust }) => state !== 'done' || trust === 'trustworthy')
  const done = trusted.filter(({ state }) => state === 'done')
  const isOpen = done.length === 0 || done.length < trusted.length
  return {
    verdicts: verdicts.map(({ criterionId, state, verdict, failure, trust }) => ({
      criterion_id: publicId('criterion', criterionId),
      state: state === 'done' || state === 'failed' ? state : 'pending',
      verdict,
      failure,
      trust,
    })),
    success: isOpen ? null : done.every(({ verdict }) => verdict === 'pass'),
  }
}

/** The value below which a share of the sorted values lies; null without values. */
function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? null
}

const usdOf = (nano: bigint): number => Number(nano) / 1e9

function costsReply(cost: CallCost): CallCosts {
  const { telephonyNano, recognitionNano, modelNano, synthesisNano, platformNano, isSettled } = cost
  const total = telephonyNano + recognitionNano + modelNano + synthesisNano + platformNano
  return {
    telephony_usd: usdOf(telephonyNano),
    stt_usd: usdOf(recognitionNano),
    llm_usd: usdOf(modelNano),
    tts_usd: usdOf(synthesisNano),
    platform_usd: usdOf(platformNano),
    total_usd: usdOf(total),
    settled: isSettled,
  }
}
