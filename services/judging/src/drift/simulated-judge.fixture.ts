import type { Verdict } from '@ratchet/contracts/criteria'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { judgeAccuracy } from '../calibration/judge-accuracy.ts'
import { measureJudge } from '../calibration/measure-judge.ts'
import { doneJudgement } from '../judgements/done-judgement.fixture.ts'
import type { DoneJudgement } from '../judgements/judgement.ts'
import { checkDrift, type DriftFinding } from './check-drift.ts'
import { unflagged } from './drift.fixture.ts'
import { driftRule } from './drift-rule.ts'
import type { DayCount } from './find-rise.ts'
import { baselineOf, panelOf, rowsOfDay } from './panel.ts'
import { validatedJudge } from './validated-judge.ts'

/** The truth about a judge and its traffic. */
export interface Truth {
  /** Share of answers that fail. */
  readonly failRate: number
  readonly tpr: number
  readonly tnr: number
}

export interface SimulatedJudge {
  readonly truth: Truth
  /** Days after the first calibration, and the truth from then on. */
  readonly change?: { readonly day: number; readonly truth: Truth }
  /** Verdicts of the monitor in a day. */
  readonly perDay: number
  readonly grades: number
  /** Share of fails among the grades, when people looked for fails; as in the traffic when absent. */
  readonly gradedFails?: number
  /** Days between two calibrations; 30 when absent. */
  readonly calibratedEveryDays?: number
  /** Days of monitoring before the first calibration. */
  readonly historyDays: number
  /** Days of sweeps. */
  readonly days: number
  /** Whether the judge gives the same verdict whenever it is shown the same row. */
  readonly isSteady?: boolean
}

/** A flag, and the number of days from the change to it; below 1 when it came before. */
export interface FoundFlag {
  readonly finding: DriftFinding
  readonly afterDays: number
}

const staleDays = 30
/** The first calibration is made at the end of this UTC day. */
const firstDay = 20_000

/** Sweeps every day until the judge is flagged; null when it never is. */
export function firstFlag(judge: SimulatedJudge, random: () => number): FoundFlag | null {
  const { calibratedEveryDays = staleDays } = judge
  const live: DayCount[] = []
  for (let day = firstDay - judge.historyDays; day <= firstDay; day += 1) live.push(liveDay(judge, day, random))
  let calibrated = calibrate(judge, firstDay, random)
  for (let day = firstDay + 1; day <= firstDay + judge.days; day += 1) {
    live.push(liveDay(judge, day, random))
    judgePanel(judge, calibrated, day, random)
    const { validated, baseline, days } = calibrated
    const finding = checkDrift({
      criterion: unflagged,
      validated,
      live: { days: live, judgeModel: null, fingerprint: null },
      panel: { fail: { baseline: baseline.fail, days: days.fail }, pass: { baseline: baseline.pass, days: days.pass } },
      rule: { ...driftRule, staleDays },
      at: new Date((day + 1) * dayMs),
      today: day + 1,
    })
    if (finding.signal !== null) return { finding, afterDays: day - firstDay - (judge.change?.day ?? 0) + 1 }
    if ((day - firstDay) % calibratedEveryDays === 0) calibrated = calibrate(judge, day, random)
  }
  return null
}

function truthOn({ truth, change }: SimulatedJudge, day: number): Truth {
  return change !== undefined && day >= firstDay + change.day ? change.truth : truth
}

function liveDay(judge: SimulatedJudge, day: number, random: () => number): DayCount {
  const { failRate, tpr, tnr } = truthOn(judge, day)
  const judgedFails = failRate * tpr + (1 - failRate) * (1 - tnr)
  let hits = 0
  for (let verdict = 0; verdict < judge.perDay; verdict += 1) if (random() < judgedFails) hits += 1
  return { day, trials: judge.perDay, hits }
}

/** The verdict of the judge on a graded row. */
export function verdictOn(human: Verdict, { tpr, tnr }: Truth, random: () => number): Verdict {
  const isRight = random() < (human === 'fail' ? tpr : tnr)
  if (isRight) return human
  return human === 'fail' ? 'pass' : 'fail'
}

/** Judged rows of a calibration. */
export function gradedRows(judge: Pick<SimulatedJudge, 'grades' | 'gradedFails'>, truth: Truth, random: () => number) {
  return Array.from({ length: judge.grades }, (_, index) => {
    const human = random() < (judge.gradedFails ?? truth.failRate) ? 'fail' : 'pass'
    return judgedRow(index, human, verdictOn(human, truth, random))
  })
}

/** Rows are the same objects in every calibration: making them takes longer than all that is computed from them. */
const known = new Map<string, DoneJudgement>()

function judgedRow(index: number, human: Verdict, verdict: Verdict): DoneJudgement {
  const key = `${index} ${human} ${verdict}`
  const row = known.get(key) ?? doneJudgement(index, { labelId: `label-${index}`, human, verdict })
  known.set(key, row)
  return row
}

function calibrate(judge: SimulatedJudge, day: number, random: () => number) {
  const rows = gradedRows(judge, truthOn(judge, day), random)
  const measured = rows.flatMap(({ human, verdict }) =>
    human === null || verdict === null ? [] : [{ human, verdict, samplingProbability: 1 }],
  )
  const panel = panelOf(rows)
  const days: Record<Verdict, DayCount[]> = { fail: [], pass: [] }
  const alignedAt = new Date((day + 1) * dayMs - 1)
  const validated = validatedJudge({ alignedAt, accuracy: judgeAccuracy(measureJudge(measured)) }, rows)
  const steady = new Map<DoneJudgement, { readonly truth: Truth; readonly verdict: Verdict | null }>(
    rows.map((row) => [row, { truth: truthOn(judge, day), verdict: row.verdict }]),
  )
  return { validated, panel, baseline: baselineOf(panel), days, steady }
}

function judgePanel(
  judge: SimulatedJudge,
  { panel, days, steady }: ReturnType<typeof calibrate>,
  day: number,
  random: () => number,
): void {
  const truth = truthOn(judge, day)
  const rows = rowsOfDay(panel, day)
  for (const human of ['fail', 'pass'] as const) {
    const judged = rows.filter((row) => row.human === human)
    const hits = judged.filter((row) => {
      const known = steady.get(row)
      if (judge.isSteady === true && known?.truth === truth) return known.verdict !== human
      const verdict = verdictOn(human, truth, random)
      steady.set(row, { truth, verdict })
      return verdict !== human
    }).length
    days[human].push({ day, trials: judged.length, hits })
  }
}
