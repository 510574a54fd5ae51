import type { RightToAct as RightToActReply } from '@ratchet/contracts/criteria'
import type { RightToAct } from '../calibration/right-to-act.ts'

/** The right to act on the wire. A judge that is flagged for drift has none until it is calibrated again. */
export function actFields(right: RightToAct, isFlagged = false): RightToActReply {
  const reason = right.reason ?? (isFlagged ? 'it is flagged for drift' : null)
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
