import { splitItems } from '../assist/split-items.ts'
import type { StoredCriterion } from '../criteria/criterion.ts'
import { areAlike, areSame, type PromptRuns, promptRuns } from './alike-prompts.ts'
import type { CalibrationStore } from './pg-calibrations.ts'
import type { ProposedPrompt } from './pg-proposals.ts'

export interface TunedItemsDeps {
  readonly calibrations: Pick<CalibrationStore, 'proposals' | 'judgedItems'>
}

/**
 * Keys of the items that the present prompt of a judge was, or may have been, tuned on. Their grades are no evidence for that
 * prompt.
 */
export async function tunedItems(
  { calibrations }: TunedItemsDeps,
  criterion: Pick<StoredCriterion, 'workspaceId' | 'id' | 'judgePrompt'>,
): Promise<ReadonlySet<string>> {
  const present = promptRuns(criterion.judgePrompt)
  const tuned = new Set<string>()
  for await (const proposal of calibrations.proposals(criterion.workspaceId)) {
    if (!mayComeFrom(proposal, { criterionId: criterion.id, present })) continue
    const { train } = splitItems(await calibrations.judgedItems(proposal.runId))
    for (const { itemKey } of train) tuned.add(itemKey)
  }
  return tuned
}

interface PresentPrompt {
  readonly criterionId: string
  readonly present: PromptRuns
}

/**
 * A person who has read a proposal can write it in other words. So a judge that had one counts as tuned, whatever its prompt is now, and
 * so does any other judge with a prompt like the proposed one. The prompt that was there before is not tuned.
 */
function mayComeFrom(
  { before, proposed, ...proposal }: ProposedPrompt,
  { criterionId, present }: PresentPrompt,
): boolean {
  const runs = promptRuns(proposed)
  if (areSame(present, runs)) return true
  if (areSame(present, promptRuns(before))) return false
  return proposal.criterionId === criterionId || areAlike(present, runs)
}
