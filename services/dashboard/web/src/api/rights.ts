import type { MyWorkspace } from '@ratchet/contracts/dashboard/account'

/** What a control requires. */
export type Right = 'grader' | 'owner_admin' | 'owner'

const sentences: Record<Right, string> = {
  grader: 'Only people who may grade can do this. Ask an owner for the right.',
  owner_admin: 'Only owners and admins can do this.',
  owner: 'Only owners can do this.',
}

/** Why a person may not use a control, or null when they may. The server decides; this only explains in advance. */
export function reasonAgainst(
  right: Right,
  { role, may_grade: mayGrade }: Pick<MyWorkspace, 'role' | 'may_grade'>,
): string | null {
  const allowed = {
    grader: mayGrade || role !== 'member',
    owner_admin: role !== 'member',
    owner: role === 'owner',
  }[right]
  return allowed ? null : sentences[right]
}
