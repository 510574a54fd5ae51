import type { RightToAct as RightToActReply } from '@ratchet/contracts/criteria'
import type { RightToAct } from '../calibration/right-to-act.ts'

/** A judge that is flagged for drift has no right to act until it is calibrated again. Null when it has it. */
export function reasonNotToAct({ reason }: Pick<RightToAct, 'reason'>, isFlagged: boolean): string | null {
  return reason ?? (isFlagged ? 'it is flagged for drift' : null)
}

/** The right to act on the wire. */
export function actFields(right: RightToAct, isFlagged = false): RightToActReply {
  const reason = reasonNotToAct(right, isFlagged)
  return {
    can_act: reason === null,
    cannot_act_reason: reason,
    e_value_tpr: right.eValueTpr,
    e_value_tnr: right.eValueTnr,
    e_value_needed: right.neededEValue,
    act_fail_grades_needed: right.failGradesNeeded,
    act_pass_grades_needed: right.passGradesNeeded,
  }
}
