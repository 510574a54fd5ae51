import type { GateLook } from '@ratchet/contracts/session-aliases'
import type { CanaryFlag, CanaryPoint } from '../../../pictures/canary-sentence.ts'
import { gateWords } from '../alias-words.ts'

interface Sequence {
  readonly points: readonly CanaryPoint[]
  /** Numbers of scored answers at which a split ended and the next began. */
  readonly epochs: readonly number[]
  readonly flags: readonly CanaryFlag[]
}

const decided: ReadonlySet<string> = new Set(['promote_ready', 'promoted', 'rollback_recommended', 'rolled_back'])

/**
 * The evaluations of several splits beside each other: answers are counted on from one split to the next. Evaluations
 * without a new answer say the same again, so the last of them stands for all.
 */
export function sequenceOf(looks: readonly GateLook[]): Sequence {
  const points: CanaryPoint[] = []
  const epochs: number[] = []
  const flags: CanaryFlag[] = []
  let before = 0
  for (const [, own] of [...Map.groupBy(looks, ({ epoch }) => epoch)].toSorted(([one], [other]) => one - other)) {
    if (before > 0) epochs.push(before)
    const byScored = new Map<number, CanaryPoint>()
    for (const look of own) {
      if (look.difference === null) continue
      const scored = before + scoredOf(look)
      const { estimate, cs } = look.difference
      byScored.set(scored, { scored, epoch: look.epoch, difference: estimate, low: cs[0], high: cs[1] })
    }
    points.push(...byScored.values())
    const last = own.at(-1)
    if (last !== undefined && decided.has(last.state) && last.difference !== null) {
      flags.push({
        scored: before + scoredOf(last),
        text: gateWords[last.state].word,
        state: gateWords[last.state].state,
      })
    }
    before += last === undefined ? 0 : scoredOf(last)
  }
  return { points, epochs, flags }
}

function scoredOf({ scored: { target, canary } }: GateLook): number {
  return target + canary
}
