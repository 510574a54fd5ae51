import type { Role } from '@ratchet/contracts/identity'

/** A person who signed in. */
export interface Person {
  readonly userId: string
  readonly email: string
  readonly name: string
  /** Whether they administer the whole installation. */
  readonly operator: boolean
  readonly session: {
    readonly id: string
    /** When they signed in. */
    readonly createdAt: Date
    /** When it was last prolonged. */
    readonly updatedAt: Date
    readonly expiresAt: Date
  }
}

/** A person in a workspace. */
export interface Membership {
  readonly workspaceId: string
  readonly slug: string
  readonly workspaceName: string
  readonly role: Role
  /** A right besides the role. */
  readonly mayGrade: boolean
}

/** Milliseconds after a sign-in during which money, keys and rights may be changed. */
export const freshMs = 15 * 60_000

export function freshUntil({ session }: Pick<Person, 'session'>): Date {
  return new Date(session.createdAt.getTime() + freshMs)
}

export function isFresh(person: Pick<Person, 'session'>, now: Date): boolean {
  return now < freshUntil(person)
}

/** Whether a member may grade: owners and admins always may. */
export function mayGrade({ role, mayGrade: own }: Pick<Membership, 'role' | 'mayGrade'>): boolean {
  return own || role !== 'member'
}
