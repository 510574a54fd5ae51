import type { Verdict } from '@ratchet/contracts/criteria'
import type { GateRun } from '@ratchet/contracts/internal-judging'
import { type LoggedRun, maxJudgedSteps } from '@ratchet/contracts/internal-logs'
import type { LogEntry } from '@ratchet/contracts/logs'
import { uuidOf } from '@ratchet/contracts/public-id'

/** A run as the log describes it: completed ten minutes after a last step that ended with `stop`. */
export function loggedRun(trace_id: string, steps: readonly LogEntry[], at: Date): LoggedRun {
  const last = steps.at(-1)
  const lastAt = new Date(last?.created_at ?? at)
  return {
    trace_id,
    completed: last?.finish_reason === 'stop' && at.getTime() - lastAt.getTime() >= 600_000,
    last_at: lastAt.toISOString(),
    expires_at: last?.expires_at ?? at.toISOString(),
    step_count: steps.length,
    steps: steps.length > maxJudgedSteps ? [] : [...steps],
  }
}

interface SimulatedRuns {
  readonly plannedRuns: readonly GateRun[]
  readonly monitored: ReadonlySet<string>
  readonly gradeOf: (traceId: string) => Verdict | null
  readonly probabilityOf: (traceId: string) => number | null
  readonly failureOf: (traceId: string) => string | null
}

/** The verdict of a run is that of its first step. */
export function runVerdicts(
  own: SimulatedRuns,
  verdicts: ReadonlyMap<string, Verdict>,
  { trace_ids }: { readonly trace_ids: readonly string[] },
): readonly object[] {
  const monitored = [...own.monitored].map((trace_id) => ({ trace_id, step_ids: [] as string[], by_monitor: true }))
  return [...own.plannedRuns.map((run) => ({ ...run, by_monitor: false })), ...monitored]
    .filter(({ trace_id }) => trace_ids.includes(trace_id))
    .map(({ trace_id, step_ids, by_monitor }) => {
      const failure = own.failureOf(trace_id)
      const verdict = failure === null ? (verdicts.get(uuidOf('log', step_ids[0] ?? '') ?? '') ?? 'pass') : null
      const grade = own.gradeOf(trace_id)
      const grade_probability = grade === null ? null : own.probabilityOf(trace_id)
      return {
        log_id: null,
        trace_id,
        state: verdict === null ? 'failed' : 'done',
        verdict,
        failure,
        by_monitor,
        grade,
        grade_probability,
      }
    })
}
