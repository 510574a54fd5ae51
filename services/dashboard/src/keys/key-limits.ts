/** Keys in force of a workspace, and of one person in it. Pages show all of them. */
const maxOfWorkspace = 1_000
const maxOfUser = 100
/** Keys that a person may create in 24 hours: the rows of revoked ones stay. */
const maxOfUserToday = 200
/** Keys in a list: all in force, and some that were revoked. */
export const shownKeys = 2_000

/** What there is before another key is created. */
export interface KeyCounts {
  readonly ofWorkspace: number
  readonly ofUser: number
  readonly ofUserToday: number
}

/** Why there may be no other key; null when there may. */
export function exceededKeys({ ofWorkspace, ofUser, ofUserToday }: KeyCounts): string | null {
  if (ofUser >= maxOfUser) return `A person may have ${maxOfUser} keys in a workspace; revoke one first.`
  if (ofWorkspace >= maxOfWorkspace) return `A workspace may have ${maxOfWorkspace} keys; revoke one first.`
  if (ofUserToday >= maxOfUserToday) return `A person may create ${maxOfUserToday} keys in 24 hours.`
  return null
}
