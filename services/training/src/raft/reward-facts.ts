import { publicId } from '@ratchet/contracts/public-id'
import { auditFacts } from '../audits/audit-reply.ts'
import type { RewardSource } from '../versions/reward-source.ts'
import type { RoundStore } from './round.ts'
import type { RoundAudits } from './round-audit.ts'

export interface RaftRewardDeps {
  readonly rounds: Pick<RoundStore, 'get'>
  readonly audits: Pick<RoundAudits, 'found'>
}

/** What is known of the judges that chose what a version was trained on, and what people found among it. */
export function createRaftRewards({ rounds, audits }: RaftRewardDeps): RewardSource {
  return {
    async factsOf({ workspaceId, producedBy: { id } }) {
      const round = id === null ? null : await rounds.get({ workspaceId, id })
      if (round === null) return null
      const found = await audits.found(workspaceId, [round.id])
      return {
        criterionIds: round.judges.map(({ criterionId }) => publicId('criterion', criterionId)),
        judgeModels: round.judges.map(({ judgeModel }) => judgeModel),
        guard: null,
        audit: auditFacts(found.get(round.id) ?? { graded: 0, falsePass: 0 }),
      }
    },
  }
}
