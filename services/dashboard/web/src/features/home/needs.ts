import type { Alias, GateState } from '@ratchet/contracts/aliases'
import type { Criterion } from '@ratchet/contracts/criteria'
import { daysLeft, daysLeftText } from '../../kit/days-left.ts'
import { moneyText } from '../../kit/money.ts'
import { countOf } from '../../kit/numbers.ts'
import type { State } from '../../kit/state-mark.tsx'

/** Something that a person should know or do. */
export interface Need {
  readonly id: string
  readonly state: State
  readonly text: string
  /** Path below the workspace where it is handled, known by its entry in the rail. */
  readonly path: string
}

const gateNeeds: Partial<Record<GateState, { readonly state: State; readonly text: string }>> = {
  promote_ready: { state: 'proven', text: 'the canary may be promoted' },
  rollback_recommended: { state: 'wrong', text: 'the canary should be rolled back' },
  rolled_back: { state: 'wrong', text: 'the canary is rolled back' },
  starved: { state: 'open', text: 'too little traffic for a decision' },
  inconclusive: { state: 'borderline', text: 'the time is over without a decision' },
}

/** The money of a workspace, as far as the person may read it. */
export interface WalletState {
  readonly availableNano: string
  /** Of the alert; null when none is set. */
  readonly thresholdNano: string | null
  /** Charged in the last seven days; null for who may not read it. */
  readonly spentNano: string | null
}

/** Fewer whole days than this at the present pace are shown. */
const fewDays = 7

/**
 * What needs a person now: a wallet that is low and drift first, then canaries, then judges that a few grades would prove.
 *
 * @param wallet null for who may not read it
 */
export function needsOf(
  criteria: readonly Criterion[],
  aliases: readonly Alias[],
  wallet: WalletState | null,
): readonly Need[] {
  return [
    ...(wallet === null ? [] : walletNeed(wallet)),
    ...criteria.filter(({ drift_status: drift }) => drift === 'flagged').map(driftNeed),
    ...aliases.flatMap(({ name, gate_state: gate }) => {
      const need = gate === null ? undefined : gateNeeds[gate]
      const path = `aliases/${name}`
      return need === undefined ? [] : [{ id: path, path, state: need.state, text: `Alias ${name}: ${need.text}.` }]
    }),
    ...criteria.filter(({ trust }) => trust === 'under-measured').flatMap(gradeNeed),
  ]
}

function walletNeed({ availableNano, thresholdNano, spentNano }: WalletState): readonly Need[] {
  const need = (state: State, text: string): Need[] => [{ id: 'billing', path: 'billing', state, text }]
  const available = BigInt(availableNano)
  if (available <= 0n) return need('wrong', 'The wallet is empty: requests are refused.')
  const pace = spentNano === null ? null : daysLeft(availableNano, spentNano)
  const lasts = pace === null ? '' : ` What is left lasts ${lowerFirst(daysLeftText(pace))}`
  if (thresholdNano !== null && available < BigInt(thresholdNano)) {
    return need('wrong', `The wallet is below its alert of ${moneyText(thresholdNano, { unit: 'nano' })}.${lasts}`)
  }
  if (pace === null || pace >= fewDays) return []
  return need('open', `The wallet is low.${lasts}`)
}

function lowerFirst(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1)
}

function driftNeed({ id, name, drift_reason: reason, drift_signal: signal }: Criterion): Need {
  const what = signal === 'quality_drop' ? 'fewer answers pass than before' : 'it must be calibrated again'
  return { id: `drift:${id}`, path: `judges/${id}`, state: 'wrong', text: `Judge ${name}: ${reason ?? `${what}.`}` }
}

function gradeNeed({ id, name, fail_grades_needed: fails, pass_grades_needed: passes }: Criterion): readonly Need[] {
  const parts = [
    ...(fails ? [countOf(fails, 'grade of a failing answer', 'grades of failing answers')] : []),
    ...(passes ? [countOf(passes, 'grade of a passing answer', 'grades of passing answers')] : []),
  ]
  if (parts.length === 0) return []
  const text = `Judge ${name}: ${parts.join(' and ')} would prove it, if they agree as before.`
  return [{ id: `grades:${id}`, path: `judges/${id}`, state: 'open', text }]
}
