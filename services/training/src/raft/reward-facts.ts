import { publicId } from '@ratchet/contracts/public-id'
import type { RewardSource } from '../versions/reward-source.ts'
import type { RoundStore } from './round.ts'

/** What is known of the judges that chose what a version was trained on. */
export function createRaftRewards(rounds: Pick<RoundStore, 'get'>): RewardSource {
  return {
    async factsOf({ workspaceId, producedBy: { id } }) {
      const round = id === null ? null : await rounds.get({ workspaceId, id })
      if (round === null) return null
      return {
        criterionIds: round.judges.map(({ criterionId }) => publicId('criterion', criterionId)),
        judgeModels: round.judges.map(({ judgeModel }) => judgeModel),
        guard: null,
        audit: null,
      }
    },
  }
}
