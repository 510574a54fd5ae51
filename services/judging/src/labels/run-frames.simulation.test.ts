import type { Verdict } from '@ratchet/contracts/criteria'
import { describeRates, type SimulatedWorld } from '@ratchet/testing/describe-rates'
import { measureJudge } from '../calibration/measure-judge.ts'
import { rightToAct } from '../calibration/right-to-act.ts'
import { chooseCandidates, openStrata } from './choose-candidates.ts'
import { type FrameItem, runItemId, wholeStratum } from './grading-frame.ts'
import { rankIn } from './grading-frames.ts'

/** A judge finds 80 % of the bad ones among short runs and 96 % among long ones: 88 % of all, which is below the bar. */
const finds = { short: 0.8, long: 0.96 }
const lengths = { short: 2, long: 20 }
const runs = 2_000
const grades = 400

interface Run extends FrameItem {
  readonly length: 'short' | 'long'
}

/** A frame has each run once; a frame of exchanges would have it once for each of its steps. */
function drawFrame(random: () => number, unit: 'runs' | 'steps'): readonly Run[] {
  const share = unit === 'runs' ? 0.5 : lengths.long / (lengths.short + lengths.long)
  const known = { stratum: wholeStratum, isOffered: false, isGraded: false, human: null }
  return Array.from({ length: runs }, (_, index): Run => {
    const logId = runItemId('workspace', `${unit} ${index} ${random()}`)
    return { ...known, logId, length: random() < share ? 'long' : 'short' }
  })
}

function gradeAll(random: () => number, unit: 'runs' | 'steps') {
  const frame = drawFrame(random, unit)
  const byId = new Map(frame.map((run) => [run.logId, run]))
  const rank = rankIn(`frame ${random()}`)
  const chosen = chooseCandidates(openStrata(frame, rank), 'random', { limit: grades, rank })
  const rows = chosen.map(({ logId }) => {
    const human: Verdict = random() < 0.3 ? 'fail' : 'pass'
    const isRight = random() < (human === 'pass' ? 0.99 : finds[byId.get(logId)?.length ?? 'short'])
    const verdict: Verdict = isRight ? human : human === 'fail' ? 'pass' : 'fail'
    return { human, verdict, samplingProbability: 1 }
  })
  const measures = measureJudge(rows)
  return { isTrusted: measures.trust === 'trustworthy', canAct: rightToAct(measures).reason === null }
}

function world(
  title: string,
  rates: Pick<SimulatedWorld, 'atMost' | 'atLeast'>,
  { unit, sees }: { readonly unit: 'runs' | 'steps'; readonly sees: 'isTrusted' | 'canAct' },
): SimulatedWorld {
  return { title, ...rates, runs: 20, fullRuns: 2_000, happens: (random) => gradeAll(random, unit)[sees] }
}

describeRates('a judge of runs below the bar, which finds more of the bad long runs, after 400 grades', [
  world('is trusted', { atMost: 0.03 }, { unit: 'runs', sees: 'isTrusted' }),
  world('may act', { atMost: 0.03 }, { unit: 'runs', sees: 'canAct' }),
  world('is trusted, if every step of a run were in the frame', { atLeast: 0.1 }, { unit: 'steps', sees: 'isTrusted' }),
])
