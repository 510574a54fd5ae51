import type { AliasGate } from '@ratchet/contracts/alias-gate'
import type { GateLook } from '@ratchet/contracts/session-aliases'

/** What a gate found at one evaluation, as it is stored: counts of a split are deleted at its end, and this remains. */
export interface StoredLook extends GateLook {
  readonly aliasId: string
}

interface Watched {
  readonly id: string
  readonly epoch: { readonly number: number }
}

/** @param reply what the gate replies after this evaluation, so that both have the same numbers */
export function lookOf({ id, epoch }: Watched, reply: AliasGate, at: Date): StoredLook {
  const { state, arms, difference, graded_difference: graded, margin, guard, looks } = reply
  return {
    aliasId: id,
    epoch: epoch.number,
    look: looks,
    at: at.toISOString(),
    state,
    scored: { target: arms.target.scored, canary: arms.canary?.scored ?? 0 },
    difference: difference === null ? null : { estimate: difference.estimate, cs: difference.cs },
    graded_difference: graded,
    margin,
    guard,
  }
}
