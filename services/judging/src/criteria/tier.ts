import type { Criterion } from '@ratchet/contracts/criteria'

const alignedFrom = 0.9
const weakFrom = 0.75

/** A coarse rating from the raw rates alone. It ignores the number of grades; `trust` takes that into account. */
export function tierOf({ tpr, tnr }: Pick<Criterion, 'tpr' | 'tnr'>): Criterion['tier'] {
  if (tpr === null || tnr === null) return 'unmeasured'
  const lower = Math.min(tpr, tnr)
  if (lower >= alignedFrom) return 'aligned'
  return lower >= weakFrom ? 'weak' : 'misaligned'
}
