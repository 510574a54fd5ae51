import type { ConfusionCounts } from '@ratchet/stats/confusion-counts'

const highAgreement = 0.85
const lowKappa = 0.6

/** A warning for kappas that are easily misread; null for others. */
export function kappaNote({ tp, fn, fp, tn }: ConfusionCounts, kappa: number | null): string | null {
  const rows = tp + fn + fp + tn
  if (rows === 0) return 'There are no rows to compare.'
  if (kappa === null) return 'Kappa is undefined: judge and people gave every row one and the same verdict.'
  const agreement = (tp + tn) / rows
  if (agreement < highAgreement || kappa >= lowKappa) return null
  const percent = Math.round(agreement * 100)
  return `Kappa is low although judge and people agree on ${percent} % of the rows, because one class is rare (prevalence paradox). Read tpr and tnr instead.`
}
