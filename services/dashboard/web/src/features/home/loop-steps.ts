import type { Criterion } from '@ratchet/contracts/criteria'
import type { SetupStatus } from '@ratchet/contracts/setup-status'
import { microOfUsd, moneyText } from '../../kit/money.ts'
import { count, countOf } from '../../kit/numbers.ts'
import type { LoopStep } from '../../pictures/loop-ring.tsx'

interface LoopInput {
  readonly status: SetupStatus
  /** Null while they are not loaded. */
  readonly aliases: number | null
  /** Evals that are done; null while they are not loaded. */
  readonly evals: number | null
}

/** The five steps of the loop with what there is of each. */
export function loopSteps({ status, aliases, evals }: LoopInput): readonly LoopStep[] {
  const { logging, traffic, grades, judges } = status
  const logged = traffic.logged_conversations
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
    {
      label: 'Evals',
      value: evals === null ? '…' : evals === 0 ? 'none done' : `${count(evals)} done`,
      state: evals !== null && evals > 0 ? 'proven' : 'none',
    },
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

/** What the next step takes of people, money and time, for people; null when it takes nothing, or nothing is known. */
export function stepTakesText({ next: { takes } }: SetupStatus): string | null {
  // A service of an earlier release does not send it.
  if (!takes) return null
  const { samples, grades, minutes, cost_usd: cost, days } = takes
  const parts = [
    samples === null || samples === 0 || (grades ?? 0) > 0 ? null : countOf(samples, 'answer'),
    grades === null || grades === 0 ? null : countOf(grades, 'grade'),
    minutes === null || minutes === 0 ? null : `${countOf(Math.max(1, Math.round(minutes)), 'minute')} of grading`,
    cost === null || cost === 0 ? null : moneyText(microOfUsd(cost)),
  ].filter((part) => part !== null)
  if (parts.length === 0) return null
  const wait = days === null || days === 0 ? '' : ` The log will hold enough answers in ${waitText(days)}.`
  return `It takes about ${parts.join(', ')}.${wait}`
}

function waitText(days: number): string {
  return days < 2 ? countOf(Math.max(1, Math.ceil(days * 24)), 'hour') : countOf(Math.ceil(days), 'day')
}

/** Judges that people look at first: those that drifted, then those nearest to being proven. */
export function sortedJudges(criteria: readonly Criterion[]): readonly Criterion[] {
  const rank = ({ drift_status: drift, fail_grades_needed: needed }: Criterion) =>
    drift === 'flagged' ? -1 : (needed ?? Number.MAX_SAFE_INTEGER)
  return criteria.filter(({ status }) => status !== 'retired').sort((a, b) => rank(a) - rank(b))
}
