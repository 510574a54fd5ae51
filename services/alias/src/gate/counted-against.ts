import type { CountsByArm } from './arm-counts.ts'

/** What counts against a promotion although no verdict or grade says that it is bad, in the words of a reason. */
export function countedAgainst({ target, canary }: CountsByArm): string {
  const assisted =
    canary.assisted === 0
      ? ''
      : ` ${canary.assisted} runs of the canary were left out and count as failed here, because a fallback, or a call that did not name the alias, answered a step.`
  const unjudged =
    canary.unjudged === 0 ? '' : ` ${canary.unjudged} of the canary could not be judged and count as failed here.`
  const skipped = target.skipped + canary.skipped
  if (skipped === 0) return `${assisted}${unjudged}`
  return `${assisted}${unjudged} ${skipped} that were offered for grading were skipped, and count against the canary until they are graded.`
}
