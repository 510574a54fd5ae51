import { describeRates, type SimulatedWorld } from '@ratchet/testing/describe-rates'
import { differenceOf } from '../report/difference-of.ts'
import { asked, drawSamples } from '../report/simulated-eval.fixture.ts'
import { type PlannedQuestion, samplesForQuestion } from './samples-for-question.ts'

/** Whether an eval with the planned number of samples answers its question when the expectation is true. */
function world(title: string, planned: PlannedQuestion): SimulatedWorld {
  const samples = samplesForQuestion(planned) ?? 0
  const { winRate, tieRate, question, margin } = planned
  const wins = winRate - tieRate / 2
  return {
    title: `${title}: ${samples} samples`,
    atLeast: 0.77,
    atMost: 0.85,
    runs: 150,
    fullRuns: 10_000,
    happens: (random) =>
      differenceOf(
        drawSamples(random, samples, { wins, losses: 1 - tieRate - wins }),
        0,
        asked({ question, margin, plannedSamples: samples }),
      )?.verdict === question,
  }
}

describeRates('an eval of the planned size answers its question', [
  world('win rate 0.6, no ties', { question: 'better', margin: null, winRate: 0.6, tieRate: 0, candidates: 1 }),
  world('win rate 0.6, 50 % ties', { question: 'better', margin: null, winRate: 0.6, tieRate: 0.5, candidates: 1 }),
  world('win rate 0.7, 30 % ties', { question: 'better', margin: null, winRate: 0.7, tieRate: 0.3, candidates: 1 }),
  world('equal, margin 0.05, 80 % ties', {
    question: 'not_worse',
    margin: 0.05,
    winRate: 0.5,
    tieRate: 0.8,
    candidates: 1,
  }),
  world('equal, margin 0.1, 30 % ties', {
    question: 'not_worse',
    margin: 0.1,
    winRate: 0.5,
    tieRate: 0.3,
    candidates: 1,
  }),
])
