import type { Criterion } from '@ratchet/contracts/criteria'
import type { SetupStatus } from '@ratchet/contracts/setup-status'
import { count } from '../../kit/numbers.ts'
import type { LoopStep } from '../../pictures/loop-ring.tsx'

interface LoopInput {
  readonly status: SetupStatus
  /** Null while they are not loaded. */
  readonly aliases: number | null
}

/** The five steps of the loop with what there is of each. */
export function loopSteps({ status, aliases }: LoopInput): readonly LoopStep[] {
  const { logging, traffic, grades, judges, next } = status
  const logged = traffic.logged_conversations
  const compares = next.action === 'create_alias' || next.action === 'none'
  return [
    {
      label: 'Traffic',
      value: !logging.enabled ? 'logging is off' : logged === null ? 'not known' : `${count(logged)} logged`,
      state: !logging.enabled ? 'none' : (logged ?? 0) > 0 ? 'proven' : 'open',
    },
    {
      label: 'Grades',
      value: count(grades.total),
      state: grades.total === 0 ? 'none' : grades.total >= grades.needed_to_calibrate ? 'proven' : 'open',
    },
    {
      label: 'Judges',
      value: judges.total === 0 ? 'none' : `${judges.trustworthy} of ${judges.total} proven`,
      state: judges.total === 0 ? 'none' : judges.trustworthy > 0 ? 'proven' : 'open',
    },
    { label: 'Evals', value: compares ? 'done' : 'none done', state: compares ? 'proven' : 'none' },
    {
      label: 'Aliases',
      value: aliases === null ? '…' : count(aliases),
      state: aliases !== null && aliases > 0 ? 'proven' : 'none',
    },
  ]
}

/** Judges that people look at first: those that drifted, then those nearest to being proven. */
export function sortedJudges(criteria: readonly Criterion[]): readonly Criterion[] {
  const rank = ({ drift_status: drift, fail_grades_needed: needed }: Criterion) =>
    drift === 'flagged' ? -1 : (needed ?? Number.MAX_SAFE_INTEGER)
  return criteria.filter(({ status }) => status !== 'retired').sort((a, b) => rank(a) - rank(b))
}
