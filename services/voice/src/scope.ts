import type { Identity } from '@ratchet/contracts/identity'

/** Who asks: a key of a workspace, or one that sees only what its user created. */
export type Asking = Pick<Identity, 'workspaceId'> & Partial<Pick<Identity, 'userId' | 'voice'>>

/** The user whose things a key sees; null: those of the workspace. */
export function scopeOf({ voice, userId }: Asking): string | null {
  return voice?.scope === 'user' ? (userId ?? null) : null
}

/** Whether a key sees what this user created. */
export function sees(asking: Asking, { userId }: { readonly userId: string }): boolean {
  const user = scopeOf(asking)
  return user === null || user === userId
}
