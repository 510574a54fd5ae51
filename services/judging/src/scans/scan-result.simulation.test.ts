import { describeRates } from '@ratchet/testing/describe-rates'
import { doneJudgement } from '../judgements/done-judgement.fixture.ts'
import { summarizeScan } from './scan-result.ts'

interface Scan {
  readonly failRate: number
  readonly tpr: number
  readonly tnr: number
  /** Random grades among 1,000 scanned exchanges. */
  readonly grades: number
  /** Whether a calibration on 50 human FAILs and 100 human PASSes of other traffic is known. */
  readonly isCalibrated?: boolean
}

/** Whether the interval of a scan misses the true pass rate. */
function misses(random: () => number, { failRate, tpr, tnr, grades, isCalibrated = false }: Scan): boolean {
  const humans = Array.from({ length: 1_000 }, () => random() < failRate)
  const judgements = humans.map((fails, index) =>
    doneJudgement(index, { verdict: random() < (fails ? tpr : 1 - tnr) ? 'fail' : 'pass' }),
  )
  const graded = judgements.slice(0, grades).flatMap(({ item }, index) => {
    return item.kind === 'log' ? [[item.logId, humans[index] ? ('fail' as const) : ('pass' as const)] as const] : []
  })
  const count = (trials: number, rate: number) => Array.from({ length: trials }, random).filter((u) => u < rate).length
  const accuracy = { truePositives: count(50, tpr), humanFails: 50, trueNegatives: count(100, tnr), humanPasses: 100 }
  const { correctedCi: ci } = summarizeScan(judgements, {
    matched: 1_000,
    randomGrades: new Map(graded),
    accuracy: isCalibrated ? accuracy : null,
  })
  return ci === null || ci[0] > 1 - failRate || ci[1] < 1 - failRate
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
]

// PPI++ is asymptotic: 7 % is what its 95 % interval misses at 200 grades.
describeRates(
  'the 95 % interval of a scan misses the true pass rate',
  scans.map((scan) => ({
    title: `${100 * scan.failRate} % fails, TPR ${scan.tpr}, TNR ${scan.tnr}, ${scan.grades} random grades${scan.isCalibrated ? ', calibrated' : ''}`,
    atMost: 0.07,
    runs: 60,
    fullRuns: 4_000,
    happens: (random: () => number) => misses(random, scan),
  })),
)
