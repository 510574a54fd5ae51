import { type EvalEvidence, provenWinRate } from '@ratchet/contracts/eval-evidence'
import { usedUpShare } from './evidence-bound.ts'
import { candidateLevel, type EvidenceInput, winRateLow } from './weigh-evidence.ts'

export type EvidenceWear = Pick<EvalEvidence, 'used_up' | 'is_exhausted' | 'prompt_uses_max' | 'wear'>

/** Numbers of earlier comparisons of the picture. At the highest one no critical value is left that proves anything. */
const shownUses = [0, 1, 2, 3, 4, 6, 8, 10, 15, 20, 25, 30, 40]
const manyUses = 64

/** How far earlier comparisons on the same prompts have used up what an eval proves about a candidate. */
export function wearOf(input: EvidenceInput): EvidenceWear {
  const { promptUses: uses, plannedSequence } = input
  const low = winRateLow(input)
  const proves = (comparisons: number) => (low(comparisons) ?? 0) >= provenWinRate
  return {
    used_up: usedUpShare({ level: candidateLevel(input), uses, plannedSequence }),
    is_exhausted: proves(0) && !proves(uses),
    prompt_uses_max: mostUses(proves),
    wear: curveOf(low, uses),
  }
}

/** Null when not even fresh prompts prove it. The bound falls with each comparison. */
function mostUses(proves: (uses: number) => boolean): number | null {
  if (!proves(0)) return null
  let [most, tooMany] = [0, manyUses]
  while (tooMany - most > 1) {
    const middle = Math.floor((most + tooMany) / 2)
    if (proves(middle)) most = middle
    else tooMany = middle
  }
  return most
}

/** Up to the first number without a bound, with that of the eval itself. */
function curveOf(low: (uses: number) => number | null, uses: number): EvidenceWear['wear'] {
  const numbers = [...new Set([...shownUses, uses])].toSorted((one, other) => one - other)
  const points = numbers.map((each) => ({ prompt_uses: each, win_rate_low: low(each) }))
  const end = points.findIndex(({ prompt_uses: each, win_rate_low: bound }) => bound === null && each >= uses)
  return end === -1 ? points : points.slice(0, end + 1)
}
