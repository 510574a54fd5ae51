import { publicId } from '@ratchet/contracts/public-id'
import { auditFacts } from '../audits/audit-reply.ts'
import type { RewardSource } from '../versions/reward-source.ts'
import type { RoundStore, ShownRound } from './round.ts'
import type { RoundAudits } from './round-audit.ts'

export interface RaftRewardDeps {
  readonly rounds: Pick<RoundStore, 'get'>
  readonly audits: Pick<RoundAudits, 'found'>
}

/** What is known of the judges that chose what a version was trained on, and what people found among it. */
export function createRaftRewards({ rounds, audits }: RaftRewardDeps): RewardSource {
  const find = async ({ workspaceId, producedBy: { id } }: Parameters<RewardSource['factsOf']>[0]) => {
    const round = id === null ? null : await rounds.get({ workspaceId, id })
    if (round === null) return null
    const found = await audits.found(workspaceId, [round.id])
    return { round, audit: auditFacts(found.get(round.id) ?? { graded: 0, falsePass: 0 }) }
  }
  return {
    async factsOf(version) {
      const found = await find(version)
      if (found === null) return null
      const { round, audit } = found
      return {
        criterionIds: round.judges.map(({ criterionId }) => publicId('criterion', criterionId)),
        judgeModels: round.judges.map(({ judgeModel }) => judgeModel),
        guard: null,
        audit,
      }
    },
    async traceOf(version) {
      const found = await find(version)
      if (found === null) return null
      const { round, audit } = found
      const { startVersionId, startModel } = round
      return {
        kind: 'round',
        id: publicId('raftRound', round.id),
        details: detailsOf(round),
        datasetIds: round.sourceDatasetId === null ? [] : [round.sourceDatasetId],
        filters: round.settings.request.filters ?? null,
        answeredBy: startVersionId === null ? null : { id: startVersionId, model: startModel },
        guard: null,
        audit,
      }
    },
  }
}

function detailsOf({ name, roundIndex, startModel, judges, settings, curation, holdout }: ShownRound) {
  return {
    name,
    round_index: roundIndex,
    start_model: startModel,
    seed: settings.seed,
    criteria: judges.map(({ criterionId, judgeModel }) => ({
      criterion_id: publicId('criterion', criterionId),
      judge_model: judgeModel,
    })),
    kept_examples: curation?.kept ?? 0,
    precision_estimate: curation?.precision ?? null,
    holdout_pass_rate: holdout,
  }
}
