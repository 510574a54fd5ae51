import type { Criterion } from '@ratchet/contracts/criteria'
import type { Identity } from '@ratchet/contracts/identity'
import { gateJudge } from '@ratchet/contracts/internal-judging'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet-client'
import { type GateJudge, gateJudgeOf } from '../gate/gate-judge.ts'

export interface FoundJudge {
  readonly judge: GateJudge
  readonly unit: Criterion['unit']
}

/** The judge of a gate as it is now; null for none of this workspace. @throws FleetCallError when judging does not answer */
export type FindJudge = (identity: Identity, criterionId: string) => Promise<FoundJudge | null>

export function createFindJudge(judging: Pick<FleetClient, 'call'>): FindJudge {
  return async (identity, criterionId) => {
    try {
      const found = await judging.call(gateJudge, { params: { id: criterionId } }, identity)
      const { criterion, instrument, over_cap: isOverCap } = found
      return { judge: gateJudgeOf(criterion, { instrument, isOverCap }), unit: criterion.unit }
    } catch (error) {
      // An older process of judging knows no such route and answers 404 too, which says nothing of the judge.
      if (error instanceof FleetCallError && error.status === 404 && error.code === 'not_found') return null
      throw error
    }
  }
}
