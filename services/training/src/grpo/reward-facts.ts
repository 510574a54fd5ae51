import { publicId } from '@ratchet/contracts/public-id'
import { auditFacts } from '../audits/audit-reply.ts'
import type { RewardSource, RewardTrace } from '../versions/reward-source.ts'
import type { RunProgress, ShownLook } from './progress/progress-store.ts'
import type { RunStore } from './runs/run.ts'

export interface GrpoRewardDeps {
  readonly runs: Pick<RunStore, 'get'>
  readonly progress: Pick<RunProgress, 'looks'>
}

/** What rewarded the versions of GRPO runs, and what guard and people found at their step. */
export function createGrpoRewards({ runs, progress }: GrpoRewardDeps): RewardSource {
  const find = async ({ workspaceId, producedBy, step }: Parameters<RewardSource['factsOf']>[0]) => {
    if (producedBy.type !== 'grpo') return null
    const run = await runs.get({ workspaceId, id: producedBy.id })
    if (run === null) return null
    const all = await progress.looks({ workspaceId, runId: run.id })
    const looks = all.filter((each) => step === null || each.step <= step)
    const look = looks.at(-1)
    // Grades of the answers of the very step count, because a later policy gives other answers.
    const audit = look === undefined || (step !== null && look.step !== step) ? null : auditFacts(look)
    return { run, looks, audit, judges: run.judges.filter(({ role }) => role === 'reward') }
  }
  return {
    async factsOf(version) {
      const found = await find(version)
      if (found === null) return null
      const { judges, looks, audit } = found
      return {
        criterionIds: judges.map(({ criterionId }) => publicId('criterion', criterionId)),
        judgeModels: judges.map(({ judgeModel }) => judgeModel),
        guard: looks.at(-1)?.figures.verdict ?? null,
        audit,
      }
    },
    async traceOf(version) {
      const found = await find(version)
      if (found === null) return null
      const { run, judges, looks, audit } = found
      return {
        kind: 'run',
        id: publicId('grpoRun', run.id),
        details: {
          name: run.name,
          criteria: judges.map(({ criterionId, judgeModel }) => ({
            criterion_id: publicId('criterion', criterionId),
            judge_model: judgeModel,
          })),
        },
        datasetIds: [run.datasetId, run.evalDatasetId].flatMap((id) => id ?? []),
        answeredBy: null,
        guard: guardOf(looks),
        audit,
      }
    },
  }
}

function guardOf(looks: readonly ShownLook[]): RewardTrace['guard'] {
  const last = looks.at(-1)
  if (last === undefined) return null
  return {
    verdict: last.figures.verdict,
    step: last.step,
    looks: looks.map(({ step, figures }) => ({ step, verdict: figures.verdict, reward_mean: figures.reward_mean })),
  }
}
