import type { KeyCommand } from '../../keys/commands.ts'
import { reasons } from './reasons.ts'

const group = 'Grading'

const decisions: readonly KeyCommand[] = [
  { id: 'review.fail', keys: 'f', label: 'Fail', group },
  { id: 'review.pass', keys: 'p', label: 'Pass', group },
  { id: 'review.fail.anyway', keys: 'Shift+f', label: 'Fail a run without its last step', group },
  { id: 'review.pass.anyway', keys: 'Shift+p', label: 'Pass a run without its last step', group },
  { id: 'review.unsure', keys: 'u', label: 'Not sure', group },
  { id: 'review.why', keys: 'r', label: 'Write a reason', group },
  { id: 'review.undo', keys: 'z', label: 'Take the last grade back', group },
  { id: 'review.earlier', keys: 'e', label: 'Show earlier turns', group },
  { id: 'review.changes', keys: 'd', label: 'Changes from an answer that is nearly the same', group },
  { id: 'review.raw', keys: 't', label: 'Formatted or as written', group },
  ...reasons.map((reason, index) => ({
    id: `review.reason.${index + 1}`,
    keys: String(index + 1),
    label: `Fail: ${reason}`,
    group,
  })),
]

/** Keys of the pages where people grade. */
export const gradingCommands: readonly KeyCommand[] = decisions.map((command) => ({ ...command, actsOnce: true }))
