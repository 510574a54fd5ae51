import type { StoredAlias } from '../aliases/alias.ts'
import type { CanaryStore } from './canary-store.ts'
import type { EvaluationEvent } from './evaluate-alias.ts'

export interface EvaluateAliasesDeps {
  readonly canary: Pick<CanaryStore, 'take'>
  /** Milliseconds between two looks at one alias. */
  readonly everyMs: number
  readonly evaluation: (alias: StoredAlias) => Promise<void>
  readonly onEvent: (event: EvaluationEvent) => void
  /** Says that the worker gets on. */
  readonly onProgress: () => void
}

/** Aliases looked at in one turn, all at the same time. */
const most = 8

/** Looks at every alias that is due. One that cannot be looked at holds up none of the others. */
export async function evaluateAliases({
  canary,
  everyMs,
  evaluation,
  onEvent,
  onProgress,
}: EvaluateAliasesDeps): Promise<void> {
  while (true) {
    const due = await canary.take(most, everyMs)
    await Promise.all(
      due.map((alias) =>
        evaluation(alias).catch((cause: unknown) => onEvent({ kind: 'failed', aliasId: alias.id, cause })),
      ),
    )
    onProgress()
    if (due.length < most) return
  }
}
