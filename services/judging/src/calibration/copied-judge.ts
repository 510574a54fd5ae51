import type { StoredCriterion } from '../criteria/criterion.ts'
import { promptSha256 } from '../criteria/instrument.ts'

/** A judge, with the prompt and model that its calibration measures. */
export interface CopiedJudge {
  readonly workspaceId: string
  /** UUID. */
  readonly criterionId: string
  readonly judgeModel: string
  /** Hex; of the checks too, where there are any. */
  readonly promptSha256: string
  /** The calibration that asks, whose judgements are planned; null for a plan, whose items may be any. */
  readonly runId: string | null
  /** When it was started. */
  readonly at: Date
}

/** A judge, as it is calibrated now. */
export function copiedJudge(criterion: StoredCriterion, { at, runId }: Pick<CopiedJudge, 'at' | 'runId'>): CopiedJudge {
  const { workspaceId, id, judgeModel, judgePrompt, checks } = criterion
  return { workspaceId, criterionId: id, judgeModel, promptSha256: promptSha256(judgePrompt, checks), at, runId }
}
