import type { Verdict } from '@ratchet/contracts/criteria'
import { describeRates } from '@ratchet/testing/describe-rates'
import { knownAccuracy } from '../calibration/judge-accuracy.ts'
import { measureJudge } from '../calibration/measure-judge.ts'
import { type MeasuredRow, unansweredRow } from '../calibration/measured-row.ts'
import { randomStratum } from '../calibration/strata.ts'
import { doneJudgement } from '../judgements/done-judgement.fixture.ts'
import { summarizeScan } from './scan-result.ts'

/** What a person who grades leaves out. */
type LeftOut = 'nothing' | 'errors' | 'half of the errors' | 'misses' | 'false alarms' | 'one in ten'

interface Scan {
  readonly failRate: number
  readonly tpr: number
  readonly tnr: number
  /** Items among 1,000 scanned exchanges that people were offered at random. */
  readonly grades: number
  /** Whether a calibration on other traffic is known: 50 human FAILs and 100 human PASSes, or 400 offered items. */
  readonly isCalibrated?: boolean
  readonly leavesOut?: LeftOut
  /** False as in an earlier release. */
  readonly countsUnanswered?: boolean
}

interface Item {
  readonly human: Verdict
  readonly verdict: Verdict
}

type Random = () => number

function drawItem({ failRate, tpr, tnr }: Scan, random: Random): Item {
  const fails = random() < failRate
  const human = fails ? 'fail' : 'pass'
  return { human, verdict: random() < (fails ? tpr : 1 - tnr) ? 'fail' : 'pass' }
}

function isLeftOut({ human, verdict }: Item, leavesOut: LeftOut, random: Random): boolean {
  if (leavesOut === 'one in ten') return random() < 0.1
  const isError = human !== verdict
  if (leavesOut === 'errors') return isError
  if (leavesOut === 'half of the errors') return isError && random() < 0.5
  if (leavesOut === 'misses') return isError && human === 'fail'
  return leavesOut === 'false alarms' && isError && human === 'pass'
}

/** Whether the interval of a scan misses the true pass rate. */
function misses(random: Random, scan: Scan): boolean {
  const { failRate, grades, isCalibrated = false, leavesOut = 'nothing', countsUnanswered = true } = scan
  const items = Array.from({ length: 1_000 }, () => drawItem(scan, random))
  const judgements = items.map(({ verdict }, index) => doneJudgement(index, { verdict }))
  const randomGrades = new Map<string, Verdict>()
  const unanswered = new Set<string>()
  for (const [index, { item }] of judgements.slice(0, grades).entries()) {
    const offered = items[index]
    if (offered === undefined || item.kind !== 'log') continue
    if (!isLeftOut(offered, leavesOut, random)) randomGrades.set(item.logId, offered.human)
    else if (countsUnanswered) unanswered.add(item.logId)
  }
  const accuracy = isCalibrated ? calibrate(scan, random) : null
  const { correctedCi: ci } = summarizeScan(judgements, { matched: 1_000, randomGrades, unanswered, accuracy })
  return ci === null || ci[0] > 1 - failRate || ci[1] < 1 - failRate
}

function calibrate(scan: Scan, random: Random) {
  const { tpr, tnr, leavesOut = 'nothing', countsUnanswered = true } = scan
  if (leavesOut !== 'nothing') {
    const rows = Array.from({ length: 400 }, () => drawItem(scan, random)).flatMap((item): readonly MeasuredRow[] => {
      const weight = { samplingProbability: 1, stratum: randomStratum }
      if (!isLeftOut(item, leavesOut, random)) return [{ ...item, ...weight }]
      return countsUnanswered ? [unansweredRow(weight)] : []
    })
    return knownAccuracy(measureJudge(rows))
  }
  const count = (trials: number, rate: number) => Array.from({ length: trials }, random).filter((u) => u < rate).length
  const counts = { truePositives: count(50, tpr), humanFails: 50, trueNegatives: count(100, tnr), humanPasses: 100 }
  return { withUnanswered: counts, answered: counts }
}

const good = { tpr: 0.97, tnr: 0.99 }
const fair = { tpr: 0.9, tnr: 0.95 }
const weak = { tpr: 0.5, tnr: 0.85 }
const scans: readonly Scan[] = [
  { ...fair, failRate: 0.1, grades: 200 },
  { ...fair, failRate: 0.25, grades: 200 },
  { ...good, failRate: 0.1, grades: 200 },
  { ...weak, failRate: 0.1, grades: 200 },
  { ...weak, failRate: 0.25, grades: 200 },
  { ...fair, failRate: 0.1, grades: 100, isCalibrated: true },
  { ...good, failRate: 0.1, grades: 200, isCalibrated: true },
  { ...weak, failRate: 0.25, grades: 200, isCalibrated: true },
  { ...fair, failRate: 0.1, grades: 0, isCalibrated: true },
  { ...fair, failRate: 0.05, grades: 100 },
  { ...good, failRate: 0.03, grades: 200 },
  { ...fair, failRate: 0.1, grades: 50 },
  { failRate: 0.1, tpr: 0.5, tnr: 0.5, grades: 200 },
]

const titleOf = ({ failRate, tpr, tnr, grades, isCalibrated }: Scan) =>
  `${100 * failRate} % fails, TPR ${tpr}, TNR ${tnr}, ${grades} random grades${isCalibrated ? ', calibrated' : ''}`

const scanBound = 0.055

describeRates(
  'the 95 % interval of a scan misses the true pass rate',
  scans.map((scan) => ({
    title: titleOf(scan),
    atMost: scanBound,
    runs: 60,
    // The intervals of a weak judge are the closest to the bound.
    fullRuns: scan.tpr === weak.tpr ? 20_000 : 4_000,
    happens: (random: Random) => misses(random, scan),
  })),
)

const choices: readonly Scan[] = (
  ['errors', 'half of the errors', 'misses', 'false alarms', 'one in ten'] as const
).flatMap((leavesOut) => [
  { ...fair, failRate: 0.1, grades: 200, leavesOut },
  { ...weak, failRate: 0.25, grades: 200, leavesOut },
  { ...fair, failRate: 0.1, grades: 0, isCalibrated: true, leavesOut },
])

describeRates('the 95 % interval of a scan misses the true pass rate, when people leave out what they were offered', [
  ...choices.map((scan) => ({
    title: `${titleOf(scan)}; left out: ${scan.leavesOut}`,
    atMost: scanBound,
    runs: 60,
    fullRuns: 4_000,
    happens: (random: Random) => misses(random, scan),
  })),
  {
    title: 'a weak judge, misses left out, if they did not count',
    atLeast: 0.9,
    runs: 60,
    fullRuns: 4_000,
    happens: (random: Random) =>
      misses(random, { ...weak, failRate: 0.25, grades: 200, leavesOut: 'misses', countsUnanswered: false }),
  },
])
