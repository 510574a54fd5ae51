import { type CalibrationEstimate, startCalibration } from '@ratchet/contracts/calibrations'
import { type GradingForecast, nextToGrade } from '@ratchet/contracts/scans'
import { Option } from 'commander'
import { type Answer, formatTable } from '../answer.ts'
import type { ApiCommands, ApiDeps } from '../api/api-commands.ts'
import { inShare, inUsd, withInterval } from '../text/in-words.ts'
import { parseCriterionId } from './judge-id.ts'

interface Options {
  readonly strategy: Strategy
}

type Strategy = (typeof strategies)[number]
const strategies = ['random', 'balanced', 'disagreement', 'plan'] as const

export function planJudge({ group, run }: ApiCommands): void {
  group
    .command('plan')
    .description(
      'Show how many more grades a judge needs, with which chance, and what a calibration costs. Starts nothing.',
    )
    .argument('<criterion>', 'the id of the judge', parseCriterionId)
    .addOption(new Option('--strategy <strategy>', 'how exchanges are chosen').choices(strategies).default('random'))
    .action((id: string, { strategy }: Options) => run((deps) => work(deps, id, strategy)))
}

async function work({ connect }: ApiDeps, id: string, strategy: Strategy): Promise<Answer> {
  const api = await connect()
  const calibration = await api.call(startCalibration, { params: { id }, body: { dry_run: true } })
  const listed = await api.call(nextToGrade, { params: { id }, query: { limit: '1', strategy } })
  const json = { calibration: calibration.json, strategy: listed.value.strategy, grading: listed.json.plan ?? null }
  const estimate = calibration.value
  if (estimate.object !== 'criterion.calibration_estimate') throw new Error('a dry run starts nothing')
  return { json, text: `${calibrationText(estimate)}\n\n${gradingText(listed.value.plan, listed.value.strategy)}` }
}

function calibrationText({ rows, estimated_cost_usd: cost, plan }: CalibrationEstimate): string {
  return formatTable([
    ['CALIBRATION NOW', 'FAIL', 'PASS'],
    ['grades', String(rows.fail), String(rows.pass)],
    ...plan.chances.map(({ true_rate: rate, tpr_can_act: tpr, tnr_can_act: tnr }) => [
      `chance to act with a true rate of ${inShare(rate)}`,
      inShare(tpr),
      inShare(tnr),
    ]),
    ...plan.chances.map(({ true_rate: rate, tpr_proven: tpr, tnr_proven: tnr }) => [
      `chance of trust with a true rate of ${inShare(rate)}`,
      inShare(tpr),
      inShare(tnr),
    ]),
    ...ceilingRows(plan),
    ['judged twice', `${rows.judged_twice} of them`, ''],
    ['cost', inUsd(cost), ''],
  ])
}

/** Graders who disagree limit what any judge can show. */
function ceilingRows({ bar, grader_ceiling: known }: CalibrationEstimate['plan']): readonly string[][] {
  if (known === null) return []
  const [low, high] = known.ci
  const text = withInterval(known.ceiling * 100, [low * 100, high * 100])
  const below = high < bar ? `below the bar of ${inShare(bar)}: make the prompt sharper` : ''
  return [['highest rate that people allow', text, below]]
}

function gradingText(plan: GradingForecast | null, strategy: string): string {
  if (plan === null) return 'no exchange is left to grade'
  if (plan.grades_needed === 0) return 'the judge may act; it needs no more grades'
  const curve = plan.curve.map((at) => [String(at.grades), inShare(at.p_trustworthy), inShare(at.p_can_act)])
  const table = curve.length === 0 ? '' : `${formatTable([['MORE GRADES', 'TRUSTWORTHY', 'MAY ACT'], ...curve])}\n`
  return `${table}${neededText(plan, strategy)}`
}

const reasons: Readonly<Record<NonNullable<GradingForecast['reason']>, string>> = {
  not_measured: 'nothing is known of one of its rates yet; grade some exchanges, then calibrate',
  below_bar: 'a rate is below the bar; improve the prompt of the judge',
  frame_too_small: 'too few exchanges are left to grade',
  too_many_grades: '1000 more grades are not enough',
}

function neededText(plan: GradingForecast, strategy: string): string {
  const { grades_needed: grades, chance, order, reason } = plan
  if (grades === null) return `grades needed: unknown: ${reason === null ? 'no reason was given' : reasons[reason]}`
  const split = order.map((each) => `${each.grades} of ${each.stratum.slice(each.stratum.indexOf('/') + 1)}`)
  const lines = [`grades needed for a chance of ${inShare(chance)}: ${grades} (${strategy}: ${split.join(', ')})`]
  return [...lines, ...takesLines(plan)].join('\n')
}

function takesLines(plan: GradingForecast): readonly string[] {
  const { minutes_needed: minutes, cost_usd_needed: cost, seconds_per_grade: seconds } = plan
  if (minutes === null) return []
  const pace = `${seconds.toFixed(0)} s each${plan.seconds_per_grade_from === 'assumed' ? ', assumed' : ''}`
  const time = `time of people: about ${Math.max(1, Math.round(minutes))} min (${pace})`
  return cost === null ? [time] : [time, `cost of the calibration after them: ${inUsd(cost)}`]
}
