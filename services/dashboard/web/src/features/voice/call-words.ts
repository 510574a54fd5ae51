import type { Call, CallDetails } from '@ratchet/contracts/voice/calls'
import type { EndReason } from '@ratchet/contracts/voice/end-reasons'
import type { State } from '../../kit/state-mark.tsx'
import { duration } from '../../kit/time.ts'

interface Word {
  readonly word: string
  readonly state: State
}

const statuses: Readonly<Record<Call['status'], Word>> = {
  queued: { word: 'waits', state: 'open' },
  dialing: { word: 'is dialed', state: 'open' },
  ringing: { word: 'rings', state: 'open' },
  in_progress: { word: 'in progress', state: 'open' },
  completed: { word: 'completed', state: 'proven' },
  voicemail: { word: 'voicemail', state: 'none' },
  canceled: { word: 'canceled', state: 'none' },
  no_answer: { word: 'nobody came', state: 'none' },
  busy: { word: 'busy', state: 'none' },
  failed: { word: 'failed', state: 'wrong' },
}

/** The word and the shape of the status of a call. */
export function statusOf({ status }: Pick<Call, 'status'>): Word {
  return statuses[status] ?? { word: status, state: 'none' }
}

/** Whether it changes by itself. */
export function isUnderWay({ status }: Pick<Call, 'status'>): boolean {
  return statuses[status]?.state === 'open'
}

const reasons: Readonly<Record<EndReason, string>> = {
  caller_hangup: 'The caller hung up.',
  agent_hangup: 'The agent hung up.',
  api_stop: 'It was stopped.',
  max_duration: 'It reached its longest duration.',
  silence: 'The caller was silent for too long.',
  insufficient_credits: 'The credits were used up.',
  billing_unavailable: 'Nothing could be charged any more.',
  no_answer: 'Nobody answered in time.',
  busy: 'The other side was busy.',
  rejected: 'The other side did not take it.',
  invalid_number: 'There is no such number.',
  carrier_error: 'The carrier failed.',
  carrier_unavailable: 'The carrier did not answer.',
  no_media: 'No audio came from the other side.',
  transferred: 'The caller was transferred.',
  voicemail: 'A machine answered.',
  llm_failed: 'The model did not answer.',
  stt_failed: 'Speech recognition failed.',
  tts_failed: 'The voice failed.',
  worker_lost: 'The worker that held it was lost.',
  canceled: 'It was canceled before it began.',
}

/** Why a call ended; null while it goes on. */
export function endText({ ended_reason: reason }: Pick<Call, 'ended_reason'>): string | null {
  return reason === null ? null : (reasons[reason] ?? reason)
}

export function talkText({ duration_seconds: seconds }: Pick<Call, 'duration_seconds'>): string {
  return seconds === null ? '—' : duration(seconds * 1_000)
}

const failures: Readonly<Record<string, string>> = {
  not_held: 'It was never answered.',
  short: 'It had less than ten seconds of talk.',
  gone: 'Its texts were erased.',
  not_logged: 'The log has nothing of it. Is logging on?',
  no_judge: 'The judge does not exist any more.',
  unjudged: 'The judge gave no verdict.',
  too_late: 'The judge gave no verdict in time.',
}

type Verdict = NonNullable<CallDetails['analysis']>['verdicts'][number]

/** What a judge says of a call, and why it says nothing. */
export function verdictOf({
  state,
  verdict,
  failure,
}: Pick<Verdict, 'state' | 'verdict' | 'failure'>): Word & { readonly reason?: string } {
  if (state === 'pending') return { word: 'is being judged', state: 'open' }
  if (verdict === null) return { word: 'no verdict', state: 'none', reason: failures[failure ?? ''] ?? '' }
  return verdict === 'pass' ? { word: 'pass', state: 'proven' } : { word: 'fail', state: 'wrong' }
}

export type TurnLatency = CallDetails['latency']['turns'][number]

export interface LatencyPart {
  readonly label: string
  readonly fromMs: number
  readonly ms: number
}

/** What a caller waited for at one turn: its parts, one after the other, and what lies between and behind them. */
export function latencyParts({ eot_ms, llm_ttft_ms, tts_ttfa_ms, total_ms }: TurnLatency): readonly LatencyPart[] {
  const parts: LatencyPart[] = []
  let fromMs = 0
  const add = (label: string, ms: number | null) => {
    if (ms === null || ms <= 0) return
    parts.push({ label, fromMs, ms })
    fromMs += ms
  }
  add('End of the turn', eot_ms)
  add('First words of the model', llm_ttft_ms)
  add('First audio of the voice', tts_ttfa_ms)
  add('Clauses, line', total_ms === null ? null : total_ms - fromMs)
  return parts
}
