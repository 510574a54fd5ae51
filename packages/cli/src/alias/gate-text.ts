import type { AliasGate, GateArm, GateSegment, GateShadow, GuardCheck } from '@ratchet/contracts/alias-gate'
import { formatTable } from '../answer.ts'
import { inMs, inShare, inUsd, withInterval } from '../text/in-words.ts'
import { intervalPicture } from '../text/interval-picture.ts'
import { planText } from './plan-text.ts'

type Ends = readonly [number, number]

/** Below this p-value of the split of the arms, the gate does not decide. */
const suspicious = 0.001

/** The state and the evidence of a gate as text. */
export function gateText(gate: AliasGate): string {
  const sections = [
    headOf(gate),
    armsOf(gate),
    runsOf(gate),
    ratesOf(gate),
    differenceOf(gate),
    gradesOf(gate),
    segmentsOf(gate.segments),
    guardsOf(gate.guard),
    gate.plan === null ? '' : planText(gate.plan),
  ]
  return sections.filter((section) => section !== '').join('\n\n')
}

function headOf({
  alias,
  state,
  mode,
  reason,
  criterion_id,
  trust,
  youden,
  looks,
  srm_p,
  ...times
}: AliasGate): string {
  const measured = `${trust ?? 'unmeasured'}${youden === null ? '' : `, TPR + TNR - 1 = ${youden.toFixed(3)}`}`
  const { started_at: since, ends_at: until, looked_at: last, decided_at: decided } = times
  return [
    `${alias}: ${state} (${mode ?? 'no gate'})`,
    ...(reason === '' ? [] : [reason]),
    ...(criterion_id === null ? [] : [`judged by ${criterion_id}, ${measured}`]),
    ...(since === null ? [] : [`split since ${since}${until === null ? '' : `, until ${until} at most`}`]),
    `${looks} evaluations${last === null ? '' : `, the last at ${last}`}${decided === null ? '' : `, decided at ${decided}`}`,
    ...(srm_p !== null && srm_p < suspicious
      ? ['the arms are more uneven than chance explains: no decision is made']
      : []),
  ].join('\n')
}

function armsOf({ arms: { target, canary }, shadow }: AliasGate): string {
  const heading = ['ARM', 'MODEL', 'SERVED', 'ERRORS', 'SCORED', 'FAILS', 'CORRECTED', 'LATENCY', 'COST AVG']
  const rows = [
    armRow('target', target),
    ...(canary === null ? [] : [armRow('canary', canary)]),
    ...(shadow === null ? [] : [shadowRow(shadow)]),
  ]
  return formatTable([heading, ...rows])
}

/** What a gate of runs counted as failed, and what it left out. */
function runsOf({ unit, arms: { target, canary } }: AliasGate): string {
  if (unit === 'request') return ''
  const rowOf = (name: string, { unfinished, assisted, mixed }: GateArm) => [
    name,
    ...[unfinished, assisted, mixed].map(String),
  ]
  const rows = [rowOf('target', target), ...(canary === null ? [] : [rowOf('canary', canary)])]
  return formatTable([['RUNS', 'NOT COMPLETED', 'ASSISTED', 'BEFORE THE SPLIT'], ...rows])
}

function armRow(name: string, arm: GateArm): readonly string[] {
  const { model, served, errors, scored, fails, pass_rate, p95_latency_ms, avg_cost_usd } = arm
  const counts = [served, errors, scored, fails].map(String)
  return [name, model, ...counts, inShare(pass_rate), `p95 ${inMs(p95_latency_ms)}`, costOf(avg_cost_usd)]
}

function shadowRow({ model, mirrored, errors, scored, fails, ...figures }: GateShadow): readonly string[] {
  const counts = [mirrored, errors, scored, fails].map(String)
  const { pass_rate, avg_latency_ms, avg_cost_usd } = figures
  return ['shadow', model, ...counts, inShare(pass_rate), `avg ${inMs(avg_latency_ms)}`, costOf(avg_cost_usd)]
}

function costOf(usd: number | null): string {
  return usd === null ? '-' : inUsd(usd)
}

/** Pass rates from the judge. The intervals of the arms hold at every evaluation, that of the shadow at one. */
function ratesOf({ arms: { target, canary }, shadow }: AliasGate): string {
  const rows = [
    rateRow('target', target.raw_pass_rate, target.cs),
    ...(canary === null ? [] : [rateRow('canary', canary.raw_pass_rate, canary.cs)]),
    ...(shadow === null ? [] : [rateRow('shadow', shadow.raw_pass_rate, shadow.ci)]),
  ]
  return formatTable([['JUDGED PASS RATE', '', ''], ...rows])
}

function rateRow(name: string, rate: number | null, ends: Ends | null): readonly string[] {
  if (rate === null || ends === null) return [name, '', 'no answers were judged']
  return [name, intervalPicture(rate, ends), withInterval(rate * 100, [ends[0] * 100, ends[1] * 100])]
}

function differenceOf({ difference, margin, arms }: AliasGate): string {
  if (arms.canary === null) return ''
  const allowed = `${inPoints(-margin)} is tolerated`
  if (difference === null) return `CANARY - TARGET\nunknown; ${allowed}`
  const { estimate, cs } = difference
  const widest = Math.max(Math.abs(cs[0]), Math.abs(cs[1]), Math.abs(estimate), 2 * margin)
  const end = [0.1, 0.2, 0.5].find((each) => each >= widest) ?? 1
  const picture = intervalPicture(estimate, cs, { from: -end, to: end, marks: [-margin, 0] })
  const ends = `${inPoints(cs[0])} to ${inPoints(cs[1])}`
  return `CANARY - TARGET, bars at ${inPoints(-margin)} and 0\n${picture}  ${inPoints(estimate)} (${ends}); ${allowed}`
}

/** The difference by people's grades of drawn answers, on which a gate promotes. */
function gradesOf({ graded_difference: graded, arms: { target, canary } }: AliasGate): string {
  if (canary === null || graded === null) return ''
  const ends = `${inPoints(graded.cs[0])} to ${inPoints(graded.cs[1])}`
  const drawn = `${Math.floor(target.drawn)} and ${Math.floor(canary.drawn)} drawn answers graded`
  return `CANARY - TARGET BY GRADES\n${inPoints(graded.estimate)} (${ends}); ${drawn}`
}

/** Segments that are shown, those with the strongest evidence first. */
const maxShownSegments = 10

/** One segment says the same as the arms, unless it is worse or was rolled back. */
function segmentsOf(segments: readonly GateSegment[]): string {
  if (segments.every(({ state }) => state === 'watched' || state === 'collecting') && segments.length < 2) return ''
  const rows = segments
    .slice(0, maxShownSegments)
    .map(({ segment, state, target, canary, difference }) => [
      segment,
      state.replaceAll('_', ' '),
      `${target.scored - target.fails}/${target.scored}`,
      `${canary.scored - canary.fails}/${canary.scored}`,
      difference === null
        ? '-'
        : `${inPoints(difference.estimate)} (${inPoints(difference.cs[0])} to ${inPoints(difference.cs[1])})`,
    ])
  return formatTable([['SEGMENT', 'STATE', 'TARGET', 'CANARY', 'DIFFERENCE'], ...rows])
}

/** @param share 0 to 1 */
function inPoints(share: number): string {
  const points = (share * 100).toFixed(1)
  return `${Number(points) > 0 ? '+' : ''}${points}`
}

function guardsOf(guards: readonly GuardCheck[]): string {
  if (guards.length === 0) return ''
  const rows = guards.map(({ name, limit, estimate, cs, breached }) => [
    breached ? '✗' : '✓',
    name,
    `<= ${limit}`,
    estimate === null ? 'not measured' : inShort(estimate),
    cs === null ? '-' : `${inShort(cs[0])} ${cs[1] === null ? 'and more' : `to ${inShort(cs[1])}`}`,
  ])
  return formatTable([['', 'GUARD', 'ALLOWED', 'OBSERVED', 'INTERVAL'], ...rows])
}

function inShort(value: number): string {
  return String(Number(value.toFixed(4)))
}
