import { publicId } from '@ratchet/contracts/public-id'
import { auditFacts } from '../audits/audit-reply.ts'
import type { RewardSource } from '../versions/reward-source.ts'
import type { RunProgress } from './progress/progress-store.ts'
import type { RunStore } from './runs/run.ts'

export interface GrpoRewardDeps {
  readonly runs: Pick<RunStore, 'get'>
  readonly progress: Pick<RunProgress, 'looks'>
}

/** What rewarded the versions of GRPO runs, and what guard and people found at their step. */
export function createGrpoRewards({ runs, progress }: GrpoRewardDeps): RewardSource {
  return {
    async factsOf({ workspaceId, producedBy, step }) {
      if (producedBy.type !== 'grpo') return null
      const run = await runs.get({ workspaceId, id: producedBy.id })
      if (run === null) return null
      const judges = run.judges.filter(({ role }) => role === 'reward')
      const looks = await progress.looks({ workspaceId, runId: run.id })
      const look = looks.findLast((each) => step === null || each.step <= step)
      return {
        criterionIds: judges.map(({ criterionId }) => publicId('criterion', criterionId)),
        judgeModels: judges.map(({ judgeModel }) => judgeModel),
        guard: look?.figures.verdict ?? null,
        // Grades of the answers of the very step count, because a later policy gives other answers.
        audit: look === undefined || (step !== null && look.step !== step) ? null : auditFacts(look),
      }
    },
  }
}
