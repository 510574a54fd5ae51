import type { LogRow } from '@ratchet/contracts/logs'

/** An exact system prompt among some exchanges. */
export interface Variant {
  readonly id: string
  readonly exchanges: number
  readonly lastAt: string
  /** The newest exchange with it, from which its text is read. */
  readonly logId: string
}

/** The exact system prompts of exchanges that are sorted newest first; the most frequent first. */
export function variantsOf(logs: readonly Pick<LogRow, 'id' | 'created_at' | 'segment_exact'>[]): readonly Variant[] {
  const groups = Map.groupBy(logs, (log) => log.segment_exact)
  const variants = [...groups].flatMap(([id, [newest, ...older]]) =>
    newest === undefined ? [] : [{ id, exchanges: older.length + 1, lastAt: newest.created_at, logId: newest.id }],
  )
  return variants.sort((a, b) => b.exchanges - a.exchanges)
}
