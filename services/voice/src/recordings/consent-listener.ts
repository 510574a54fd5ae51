import type { AgentSpec } from '@ratchet/contracts/voice/agents'
import { asksForConsent } from '../calls/call-plan.ts'
import type { Turn } from '../engine/call-events.ts'
import { type Consent, consentOf } from './consent.ts'

export interface ConsentListener {
  /** Whether the call may be recorded from its beginning, or that of this worker. */
  readonly isGranted: boolean
  /** A turn of the call, when it is over. */
  take(turn: Turn): void
}

interface ConsentOf {
  readonly spec: AgentSpec
  /** Of the workers before. */
  readonly turns: readonly Turn[]
  readonly onAnswer: (answer: Exclude<Consent, 'waiting'>, turn: Turn) => void
}

/** Listens to a call until its caller has said whether it may be recorded. */
export function listenForConsent({ spec, turns, onAnswer }: ConsentOf): ConsentListener {
  const before = asksForConsent(spec) ? consentOf(turns, spec.language) : 'granted'
  const taken = [...turns]
  let isWaiting = before === 'waiting'
  return {
    isGranted: before === 'granted',
    take(turn) {
      if (!isWaiting) return
      taken.push(turn)
      const answer = consentOf(taken, spec.language)
      if (answer === 'waiting') return
      isWaiting = false
      onAnswer(answer, turn)
    },
  }
}
