import { describeRates, type SimulatedWorld } from '@ratchet/testing/describe-rates'
import { detectableChance, detectableDays, detectableDrop } from './detectable-drop.ts'
import { replayFinding } from './replay-finding.ts'
import { firstFlag, gradedRows, type SimulatedJudge, type Truth, verdictOn } from './simulated-judge.fixture.ts'

const truth: Truth = { failRate: 0.1, tpr: 0.95, tnr: 0.97 }

type Stable = Partial<Omit<SimulatedJudge, 'truth'>> & { readonly truth?: Partial<Truth> }

function stable(title: string, { truth: more, ...judge }: Stable = {}, runs = 20): SimulatedWorld {
  const simulated = { perDay: 100, grades: 200, historyDays: 28, days: 365, ...judge, truth: { ...truth, ...more } }
  return { title, atMost: 0.05, runs, fullRuns: 1_000, happens: (random) => firstFlag(simulated, random) !== null }
}

/** Simulated calibrations of many grades take most of the time, so `npm test` runs the worlds with few of them, and more runs. */
describeRates('A stable judge is flagged in a year of daily sweeps', [
  stable('100 verdicts a day, 10 % fails'),
  stable('the same, monitored only since the calibration', { historyDays: 0 }, 0),
  stable('the same, but always the same verdict on the same row', { isSteady: true }, 0),
  stable('the same with 1 000 grades', { grades: 1_000 }, 0),
  stable('half of the grades are fails', { gradedFails: 0.5, grades: 500 }, 0),
  stable('2 % fails', { truth: { failRate: 0.02 }, grades: 500 }, 0),
  stable('30 % fails', { truth: { failRate: 0.3 }, grades: 100 }, 40),
  stable('20 verdicts a day', { perDay: 20 }),
  stable('a weak judge: TPR 0.7, TNR 0.8', { truth: { tpr: 0.7, tnr: 0.8 } }),
  stable('1 000 verdicts a day', { perDay: 1_000, grades: 500 }, 5),
])

/** A panel of its own with every calibration, and no live verdicts. */
function recalibrated(everyDays: number, more: Stable = {}): SimulatedWorld {
  const judge = { gradedFails: 0.5, grades: 200, perDay: 0, historyDays: 0, calibratedEveryDays: everyDays, ...more }
  const kind = more.isSteady ? ', same row, same verdict' : more.truth === undefined ? '' : ', a weak judge'
  const world = stable(`calibrated every ${everyDays} days${kind}`, judge)
  return { ...world, atMost: 0.01, runs: everyDays < 30 ? 0 : 40, fullRuns: Math.min(1_000, 400 * everyDays) }
}

describeRates('A stable judge is flagged by the panels of one year', [
  recalibrated(1),
  recalibrated(2),
  recalibrated(3),
  recalibrated(7),
  recalibrated(30),
  recalibrated(7, { isSteady: true }),
  recalibrated(7, { truth: { tpr: 0.7, tnr: 0.8 } }),
])

interface Changed {
  readonly to: Partial<Truth>
  readonly withinDays: number
  readonly atLeast: number
  readonly judge?: Stable
  readonly signal?: 'stale' | 'quality_drop'
}

/** A change eight days after the calibration, when the new rate has been live for at most `withinDays` complete days. */
function changed(title: string, { to, withinDays, atLeast, judge = {}, signal = 'quality_drop' }: Changed) {
  const before = { ...truth, ...judge.truth }
  const simulated: SimulatedJudge = {
    perDay: 100,
    grades: 500,
    historyDays: 56,
    days: 8 + withinDays - 1,
    ...judge,
    truth: before,
    change: { day: 8, truth: { ...before, ...to } },
  }
  const happens: SimulatedWorld['happens'] = (random) => {
    const found = firstFlag(simulated, random)
    return found !== null && found.afterDays >= 1 && found.finding.signal === signal
  }
  return { title, atLeast, runs: 30, fullRuns: 2_000, happens }
}

const always = { perDay: 1_000, historyDays: 0 }
const fifth = { perDay: 200 }

describeRates('A drop of the traffic is flagged in time (1 000 requests a day, on day 8)', [
  changed('5 points in 14 days, all judged, no verdicts before the calibration', {
    to: { failRate: 0.15 },
    withinDays: 14,
    atLeast: 0.99,
    judge: always,
  }),
  changed('10 points in 7 days, all judged, no verdicts before the calibration', {
    to: { failRate: 0.2 },
    withinDays: 7,
    atLeast: 0.99,
    judge: always,
  }),
  changed('5 points in 14 days, 20 % judged', { to: { failRate: 0.15 }, withinDays: 14, atLeast: 0.95, judge: fifth }),
  changed('10 points in 7 days, 20 % judged', { to: { failRate: 0.2 }, withinDays: 7, atLeast: 0.99, judge: fifth }),
  changed('5 points in 14 days, 10 % judged', { to: { failRate: 0.15 }, withinDays: 14, atLeast: 0.6 }),
  changed('10 points in 7 days, 10 % judged', { to: { failRate: 0.2 }, withinDays: 7, atLeast: 0.95 }),
  changed('5 points in 14 days, 10 % judged, no verdicts before the calibration', {
    to: { failRate: 0.15 },
    withinDays: 14,
    atLeast: 0.1,
    judge: { historyDays: 0 },
  }),
  changed('10 points in 14 days, 10 % judged, no verdicts before the calibration', {
    to: { failRate: 0.2 },
    withinDays: 14,
    atLeast: 0.85,
    judge: { historyDays: 0 },
  }),
])

/** The drop that the reply about a judge names, as its monitor would after its history. */
function named(perDay: number, historyDays: number, runs: Pick<SimulatedWorld, 'runs' | 'fullRuns'>): SimulatedWorld {
  const judgedFails = truth.failRate * truth.tpr + (1 - truth.failRate) * (1 - truth.tnr)
  const trials = perDay * (historyDays + 8)
  const monitored = { verdictsPerDay: perDay, before: { trials, hits: Math.round(trials * judgedFails) } }
  const accuracy = { truePositives: 47.5, humanFails: 50, trueNegatives: 436.5, humanPasses: 450 }
  const drop = detectableDrop(monitored, accuracy) ?? 1
  const title = `${perDay} verdicts a day, ${historyDays} days before the calibration`
  const world = changed(title, {
    to: { failRate: truth.failRate + drop },
    withinDays: detectableDays,
    atLeast: detectableChance,
    judge: { perDay, historyDays },
  })
  return { ...world, atMost: 0.96, ...runs }
}

describeRates('The drop that the reply about a judge names is flagged within 14 days', [
  named(50, 56, { runs: 100, fullRuns: 2_000 }),
  named(100, 56, { runs: 60, fullRuns: 2_000 }),
  named(100, 0, { runs: 0, fullRuns: 2_000 }),
  named(20, 56, { runs: 100, fullRuns: 2_000 }),
])

const halfFails = { gradedFails: 0.5, grades: 400 }

describeRates('A drop is flagged although people graded fails on purpose', [
  changed('5 points in 14 days, half of the grades are fails, all judged', {
    to: { failRate: 0.15 },
    withinDays: 14,
    atLeast: 0.99,
    judge: { ...halfFails, ...always },
  }),
  changed('20 points in 7 days, half of the grades are fails', {
    to: { failRate: 0.3 },
    withinDays: 7,
    atLeast: 0.99,
    judge: halfFails,
  }),
  changed('20 points in 7 days, 30 % of the grades are fails', {
    to: { failRate: 0.3 },
    withinDays: 7,
    atLeast: 0.99,
    judge: { ...halfFails, gradedFails: 0.3 },
  }),
  changed('40 points in 3 days, half of the grades are fails', {
    to: { failRate: 0.5 },
    withinDays: 3,
    atLeast: 0.99,
    judge: halfFails,
  }),
])

describeRates('A judge that changed is flagged by its panel', [
  changed('TPR 0.93 becomes 0.6, 200 grades, in 14 days', {
    to: { tpr: 0.6 },
    withinDays: 14,
    atLeast: 0.9,
    judge: { grades: 200, truth: { tpr: 0.93 } },
    signal: 'stale',
  }),
  changed('TPR 0.93 becomes 0.6, 500 grades, in 14 days', {
    to: { tpr: 0.6 },
    withinDays: 14,
    atLeast: 0.95,
    judge: { truth: { tpr: 0.93 } },
    signal: 'stale',
  }),
  changed('the same, with the same verdict on the same row', {
    to: { tpr: 0.6 },
    withinDays: 14,
    atLeast: 0.85,
    judge: { truth: { tpr: 0.93 }, isSteady: true },
    signal: 'stale',
  }),
  changed('TPR becomes 0.45 while 8 points more fail, 200 grades, in 14 days', {
    to: { tpr: 0.45, failRate: 0.18 },
    withinDays: 14,
    atLeast: 0.99,
    judge: { grades: 200, truth: { tpr: 0.93 } },
    signal: 'stale',
  }),
  changed('TPR 0.93 becomes 0.75, 500 grades, in 22 days', {
    to: { tpr: 0.75 },
    withinDays: 22,
    atLeast: 0.3,
    judge: { truth: { tpr: 0.93 } },
    signal: 'stale',
  }),
])

/** The cause that the rows of a calibration show after a drop. */
function cause(to: Partial<Truth>, isSteady: boolean, random: () => number) {
  const now = { ...truth, ...to }
  const rows = gradedRows({ grades: 500 }, truth, random)
  const isChanged = now.tpr !== truth.tpr || now.tnr !== truth.tnr
  const replayed = rows.map((row) =>
    isSteady && !isChanged ? row : { ...row, verdict: verdictOn(row.human ?? 'pass', now, random) },
  )
  const judged = ({ failRate, tpr, tnr }: Truth) => failRate * tpr + (1 - failRate) * (1 - tnr)
  const drop = { rise: judged(now) - judged(truth), failRate: truth.failRate }
  return replayFinding(new Map(rows.map((row) => [row.labelId ?? '', row])), replayed, drop).cause
}

describeRates('The cause of a drop', [
  {
    title: 'is called the judge although 5 points more of the traffic fail',
    atMost: 0.025,
    runs: 200,
    fullRuns: 10_000,
    happens: (random) => cause({ failRate: 0.15 }, false, random) === 'judge',
  },
  {
    title: 'is called the traffic although the judge fails 5 points more',
    atMost: 0.025,
    runs: 200,
    fullRuns: 10_000,
    happens: (random) => cause({ tnr: 0.92 }, false, random) === 'traffic',
  },
  {
    title: 'is found when 10 points more of the traffic fail',
    atLeast: 0.8,
    runs: 200,
    fullRuns: 10_000,
    happens: (random) => cause({ failRate: 0.2 }, false, random) === 'traffic',
  },
  {
    title: 'is found when 5 points more fail and verdicts on equal rows are the same',
    atLeast: 0.95,
    runs: 200,
    fullRuns: 10_000,
    happens: (random) => cause({ failRate: 0.15 }, true, random) === 'traffic',
  },
  {
    title: 'is found when the judge fails 10 points more',
    atLeast: 0.95,
    runs: 200,
    fullRuns: 10_000,
    happens: (random) => cause({ tnr: 0.87 }, false, random) === 'judge',
  },
  {
    title: 'is found when the judge fails most answers',
    atLeast: 0.99,
    runs: 200,
    fullRuns: 10_000,
    happens: (random) => cause({ tnr: 0.4 }, false, random) === 'judge',
  },
])
