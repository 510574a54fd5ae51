import { publicId } from '@ratchet/contracts/public-id'
import type { RewardSource } from '../../versions/reward-source.ts'
import { falsePassBound } from '../guard/false-pass-bound.ts'
import type { RunProgress } from '../progress/progress-store.ts'
import type { RunStore } from './run.ts'

/** What adoption asks of a version that a run has made: what rewarded it, what its look found, and what people graded. */
export function createRunRewards(runs: Pick<RunStore, 'get'>, progress: Pick<RunProgress, 'looks'>): RewardSource {
  return {
    async factsOf({ workspaceId, producedBy, step }) {
      const run = producedBy.id === null ? null : await runs.get({ workspaceId, id: producedBy.id })
      if (run === null) return null
      const look = (await progress.looks({ workspaceId, runId: run.id })).find((each) => each.step === step)
      const judges = run.judges.filter(({ role }) => role === 'reward')
      const { graded = 0, falsePass = 0 } = look ?? {}
      const upper = falsePassBound(falsePass, graded)
      return {
        criterionIds: judges.map(({ criterionId }) => publicId('criterion', criterionId)),
        judgeModels: judges.map(({ judgeModel }) => judgeModel),
        guard: look?.figures.verdict ?? null,
        audit: upper === null ? null : { graded, false_pass: falsePass, upper },
      }
    },
  }
}
