import type { StoredAlias } from '../domain/alias.ts'
import type { CanaryStore } from '../domain/canary-store.ts'
import type { LookEvent } from './look-at-alias.ts'

export interface LookAtAliasesDeps {
  readonly canary: Pick<CanaryStore, 'take'>
  /** Milliseconds between two looks at one alias. */
  readonly everyMs: number
  readonly look: (alias: StoredAlias) => Promise<void>
  readonly onEvent: (event: LookEvent) => void
  /** Says that the worker gets on. */
  readonly onProgress: () => void
}

/** Aliases looked at in one turn, all at the same time. */
const most = 8

/** Looks at every alias that is due. One that cannot be looked at holds up none of the others. */
export async function lookAtAliases({ canary, everyMs, look, onEvent, onProgress }: LookAtAliasesDeps): Promise<void> {
  while (true) {
    const due = await canary.take(most, everyMs)
    await Promise.all(
      due.map((alias) => look(alias).catch((cause: unknown) => onEvent({ kind: 'failed', aliasId: alias.id, cause }))),
    )
    onProgress()
    if (due.length < most) return
  }
}
