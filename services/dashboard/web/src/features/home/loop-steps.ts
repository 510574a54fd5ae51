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
      value: judges.total === 0 ? 'none' : `${judges.can_act} of ${judges.total} may act`,
      state: judges.total === 0 ? 'none' : judges.can_act > 0 ? 'proven' : 'open',
    },
    { label: 'Evals', value: compares ? 'done' : 'none done', state: compares ? 'proven' : 'none' },
    {
      label: 'Aliases',
      value: aliases === null ? '…' : count(aliases),
      state: aliases !== null && aliases > 0 ? 'proven' : 'none',
    },
  ]
}

/** What it takes until a judge may act, for people; null when one may, and before the first judge. */
export function untilJudgeActs({ judges }: SetupStatus): string | null {
  const { can_act: acting, act_fail_grades_needed: fails, act_pass_grades_needed: passes } = judges
  if (acting > 0 || judges.cannot_act_reason === null) return null
  const reason = `No judge may act by itself yet: ${judges.cannot_act_reason}.`
  if (fails === null || passes === null || fails + passes === 0) return reason
  return `${reason} At its present rates ${count(fails)} failing and ${count(passes)} passing answers are still to be graded.`
}

/** Judges that people look at first: those that drifted, then those nearest to being proven. */
export function sortedJudges(criteria: readonly Criterion[]): readonly Criterion[] {
  const rank = ({ drift_status: drift, fail_grades_needed: needed }: Criterion) =>
    drift === 'flagged' ? -1 : (needed ?? Number.MAX_SAFE_INTEGER)
  return criteria.filter(({ status }) => status !== 'retired').sort((a, b) => rank(a) - rank(b))
}
