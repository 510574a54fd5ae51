import type { Trust } from '@ratchet/contracts/criteria'
import { TRUST_BAR } from '@ratchet/stats/grades-needed'
import type { State } from '../kit/state-mark.tsx'
import type { Bounds } from './interval-sentence.ts'

/** How each trust is drawn. */
export const trustStateOf: Record<Trust, State> = {
  trustworthy: 'proven',
  'under-measured': 'open',
  borderline: 'borderline',
  misaligned: 'wrong',
  unmeasured: 'none',
}

/** The rate that a judge must be proven to have. */
export const trustBar: number = TRUST_BAR

/** The state of one rate of a judge, by its interval and by whether further grades of its kind would prove it. */
export function sideStateOf(interval: Bounds | null, gradesNeeded: number | null, bar: number = trustBar): State {
  if (interval === null) return 'none'
  const [low, high] = interval
  if (low >= bar) return 'proven'
  if (high < bar) return 'wrong'
  return gradesNeeded === null ? 'borderline' : 'open'
}
