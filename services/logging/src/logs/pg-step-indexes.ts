import type { ReadScope } from '../exchanges/exchange-reads.ts'
import type { LoggedExchange } from '../exchanges/logged-exchange.ts'
import type { RunStatement } from '../exchanges/pg-run-read.ts'

type Step = Pick<LoggedExchange, 'id' | 'createdAt'> & { readonly traceId: string }

interface Stretch {
  readonly step: Step
  /** The step before it among the requested steps; null for the first of a trace. */
  readonly previous: Step | null
}

/** The indexes of these steps among all steps of their traces, by id. The steps between them are counted, not read. */
export async function stepIndexes(
  run: RunStatement,
  { workspaceId, at }: ReadScope,
  exchanges: readonly LoggedExchange[],
): Promise<ReadonlyMap<string, number>> {
  const stretches = stretchesOf(exchanges)
  if (stretches.length === 0) return new Map()
  const values = [
    ...[workspaceId, at, stretches.map(({ step }) => step.traceId)],
    ...[stretches.map(({ previous }) => previous?.createdAt ?? '-infinity')],
    ...[stretches.map(({ previous }) => previous?.id ?? '00000000-0000-0000-0000-000000000000')],
    ...[stretches.map(({ step }) => step.createdAt), stretches.map(({ step }) => step.id)],
  ]
  const rows = await run<{ id: string; steps: number }>({ text, values, isPrepared: true })
  const counted = new Map(rows.map(({ id, steps }) => [id, steps]))
  const indexes = new Map<string, number>()
  for (const { step, previous } of stretches) {
    const before = previous === null ? -1 : (indexes.get(previous.id) ?? -1)
    indexes.set(step.id, before + (counted.get(step.id) ?? 0))
  }
  return indexes
}

/** Each requested step with the one before it, the oldest first. */
function stretchesOf(exchanges: readonly LoggedExchange[]): readonly Stretch[] {
  const steps = exchanges.flatMap(({ id, createdAt, traceId }) =>
    traceId === null ? [] : [{ id, createdAt, traceId }],
  )
  const last = new Map<string, Step>()
  return steps.sort(oldestFirst).map((step) => {
    const previous = last.get(step.traceId) ?? null
    last.set(step.traceId, step)
    return { step, previous }
  })
}

function oldestFirst(a: Step, b: Step): number {
  return a.createdAt.getTime() - b.createdAt.getTime() || (a.id < b.id ? -1 : 1)
}

const text = `
  SELECT s.id, stretch.steps
  FROM unnest($3::text[], $4::timestamptz[], $5::uuid[], $6::timestamptz[], $7::uuid[])
    AS s(trace_id, previous_at, previous_id, created_at, id)
  CROSS JOIN LATERAL (
    SELECT count(*)::int AS steps FROM exchange e
    WHERE e.workspace_id = $1 AND e.expires_at > $2 AND e.trace_id = s.trace_id
      AND (e.created_at, e.id) > (s.previous_at, s.previous_id) AND (e.created_at, e.id) <= (s.created_at, s.id)
  ) stretch`
