import { nanoToUsd } from '@ratchet/contracts/money'
import { publicId } from '@ratchet/contracts/public-id'
import { deterministicId } from '@ratchet/service-kit/values/deterministic-id'
import type { CriterionKey } from '../criteria/criterion.ts'
import type { JudgingNotice } from '../notices/notice.ts'
import { weekWindow } from '../runs/week-window.ts'

export interface CapNotices {
  /**
   * Notes that the weekly cap of a judge does not cover another verdict. People are notified once a week, and again when
   * the cap was raised meanwhile and the higher one is reached too.
   */
  note(judge: CriterionKey, at: Date): Promise<void>
}

export interface CappedJudge extends CriterionKey {
  readonly name: string
  readonly capNano: bigint
}

const type = 'criterion.cap_reached'

/** The webhook event for a judge at its weekly cap. */
export function capNotice({ id, workspaceId, name, capNano }: CappedJudge, at: Date): JudgingNotice {
  const { start, end } = weekWindow(at)
  return {
    id: deterministicId(type, id, start.toISOString(), String(capNano)),
    workspaceId,
    type,
    createdAt: at,
    data: {
      object: 'criterion',
      id: publicId('criterion', id),
      name,
      online_cap_usd: nanoToUsd(capNano),
      resets_at: end.toISOString(),
    },
  }
}
