import { describeRates } from '@ratchet/testing/describe-rates'
import type { JudgedPair } from '../judging/pair-verdict.ts'
import type { BlindPreference } from '../preferences/compared-blind.ts'
import { isConclusive } from '../report/difference-of.ts'
import {
  answer,
  firstTwice,
  lost,
  noAnswer,
  samplesWith,
  tied,
  unjudged,
  won,
} from '../report/measured-samples.fixture.ts'
import { asked } from '../report/simulated-eval.fixture.ts'
import type { MeasuredSample } from '../samples/measured-sample.ts'
import { type EvidenceInput, levelOf, weighEvidence } from './weigh-evidence.ts'
import { weighPeople } from './weigh-people.ts'

type Random = () => number
/** The result of one prompt; `no answer` of the candidate. */
type Result = JudgedPair | 'no answer'
type World = (random: Random) => Result

/** The evidence policy accepts an eval above this bound, and above the lower one if the candidate is cheaper. */
const [bar, lowerBar] = [0.5, 0.45]

function samplesOf(results: readonly Result[]): readonly MeasuredSample[] {
  return samplesWith(
    results.map((result) => [result === 'no answer' ? unjudged : result]),
    (place) => (results[place] === 'no answer' ? { answers: [answer(), noAnswer] } : {}),
  )
}

function isProof(samples: readonly MeasuredSample[], more: Partial<EvidenceInput> & { readonly above?: number } = {}) {
  const { above = bar, ...input } = more
  const evidence = weighEvidence({
    samples,
    place: 0,
    candidates: 1,
    judgeTrust: 'trustworthy',
    cannotActReason: null,
    plannedSequence: null,
    attempt: 1,
    promptUses: 0,
    ...input,
  })
  return evidence.problems.length === 0 && (evidence.win_rate_low ?? 0) >= above
}

const times = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))

/** Wins and ties have these rates, and the rest are losses. */
function fair(win: number, tie: number): World {
  return (random) => {
    const unit = random()
    return unit < win ? won : unit < win + tie ? tied : lost
  }
}

/** Runs evals of one pair, each on prompts of its own, until one is a proof. */
function anyOf(evals: number, size: number, world = fair(0.4, 0.2)) {
  return (random: Random) =>
    times(evals, (index) => index + 1).some((attempt) =>
      isProof(samplesOf(times(size, () => world(random))), { attempt }),
    )
}

/** Checks a running eval at twenty times, and would stop it at the first proof. */
function stoppedEarly(random: Random): boolean {
  const all = samplesOf(times(500, () => fair(0.4, 0.2)(random)))
  return times(20, (look) => 25 * (look + 1)).some((finished) =>
    isProof(all.map((sample, place) => (place < finished ? sample : { ...sample, pairs: [], answers: [] }))),
  )
}

const skipped = { isFinished: false, pairs: [], answers: [] }

/** Ends a sequential eval of these samples at the first of 19 looks at which its question is answered, like the worker. */
function stoppedWhenConclusive(all: readonly MeasuredSample[]): readonly MeasuredSample[] {
  const what = { ...asked({ isSequential: true, plannedSamples: all.length }), alpha: 2 * levelOf(1) }
  const looks = times(19, (look) => 50 + 25 * look)
  const end = looks.find((finished) => isConclusive(all.slice(0, finished), what)) ?? all.length
  return all.map((sample, place) => (place < end ? sample : { ...sample, ...skipped }))
}

const plannedSequence = 500

/** Runs sequential evals of one pair, each on prompts of its own, until one is a proof. */
function anyOfSequential(evals: number, world: World) {
  return (random: Random) =>
    times(evals, (index) => index + 1).some((attempt) => {
      const samples = samplesOf(times(plannedSequence, () => world(random)))
      return isProof(stoppedWhenConclusive(samples), { attempt, plannedSequence })
    })
}

/** Ends a sequential eval at the first of 19 looks at which it would be a proof, whatever its own rule. */
function stoppedAtProof(random: Random): boolean {
  const all = samplesOf(times(plannedSequence, () => fair(0.4, 0.2)(random)))
  return times(19, (look) => 50 + 25 * look).some((finished) => isProof(all.slice(0, finished), { plannedSequence }))
}

/**
 * People compare the samples of one eval in the order of the draw, and stop at the first answer after which they are a proof,
 * or where they like: a third of them leave out a sample that the candidate loses.
 */
function comparedByPeople(size: number, world: World, attempt = 2) {
  return (random: Random) => {
    const results = times(size, () => world(random))
    const samples = samplesOf(results)
    const preferred = results.map((result) => (result === won ? 'candidate' : result === tied ? 'tie' : 'baseline'))
    const isShy = random() < 1 / 3
    const preferences = samples.flatMap(({ id: place }, index): readonly BlindPreference[] => {
      const own = preferred[index] ?? 'baseline'
      return isShy && index > 60 && own === 'baseline' && random() < 0.5
        ? []
        : [{ place, candidateIndex: 1, preferred: own, createdBy: null }]
    })
    const input = { samples, place: 0, candidates: 1, sampleCount: size, attempt, promptUses: 0 }
    return times(20, (look) => Math.ceil(((look + 1) * size) / 20)).some((count) => {
      const found = weighPeople({ ...input, preferences: preferences.slice(0, count) })
      return found !== null && found.problems.length === 0 && (found.win_rate_low ?? 0) >= bar
    })
  }
}

/** A judge that prefers the first answer in this share of the pairs, and else finds a candidate that wins 27.3 %. */
function biased(share: number): World {
  return (random) => (random() < share ? firstTwice : random() < 0.273 ? won : lost)
}

/** Repetitions of 40 prompts that always agree. */
function repeated(random: Random): boolean {
  const samples = samplesOf(times(40, () => (random() < 0.5 ? won : lost)).flatMap((result) => times(5, () => result)))
  return isProof(samples.map((sample, place) => ({ ...sample, cluster: `prompt-${Math.floor(place / 5)}` })))
}

const [short, long] = [
  { runs: 60, fullRuns: 20_000 },
  { runs: 15, fullRuns: 3_000 },
]
const atMost = 0.025

describeRates('the evidence of evals accepts a candidate that is not better', [
  { title: 'one eval of 100', atMost, ...short, happens: anyOf(1, 100) },
  { title: 'one eval of 30, half ties', atMost, ...short, happens: anyOf(1, 30, fair(0.25, 0.5)) },
  { title: 'one eval of 100, 96 % ties', atMost, ...short, happens: anyOf(1, 100, fair(0.02, 0.96)) },
  { title: 'one eval of 5', atMost: 0, ...short, happens: anyOf(1, 5) },
  { title: 'any of 5 evals of 100', atMost, ...long, happens: anyOf(5, 100) },
  { title: 'any of 10 evals of 100', atMost, ...long, happens: anyOf(10, 100) },
  { title: 'any of 20 evals of 50', atMost, ...long, happens: anyOf(20, 50) },
  { title: 'any of 20 evals of 5', atMost: 0, ...long, happens: anyOf(20, 5) },
  { title: '500 samples, stopped at the first proof of 20 looks', atMost, ...long, happens: stoppedEarly },
  { title: 'any of 5 sequential evals', atMost, ...long, happens: anyOfSequential(5, fair(0.4, 0.2)) },
  { title: 'any of 5 sequential evals, 90 % ties', atMost, ...long, happens: anyOfSequential(5, fair(0.05, 0.9)) },
  { title: 'a sequential eval, stopped at the first proof of 19 looks', atMost, ...long, happens: stoppedAtProof },
  {
    title: 'a sequential eval with no answer to 0.2: loses 0.2, wins 0.4, ties 0.2',
    atMost,
    ...long,
    happens: anyOfSequential(1, (random) => (random() < 0.2 ? 'no answer' : fair(0.5, 0.25)(random))),
  },
  {
    title: 'loses 0.2, wins 0.4, ties 0.2, no answer to 0.2',
    atMost,
    ...long,
    happens: anyOf(1, 200, (random) => (random() < 0.2 ? 'no answer' : fair(0.5, 0.25)(random))),
  },
  { title: 'people compare 100, 20 looks', atMost, ...long, happens: comparedByPeople(100, fair(0.4, 0.2), 1) },
  { title: 'people compare 500, 20 looks', atMost, ...long, happens: comparedByPeople(500, fair(0.4, 0.2), 1) },
  {
    title: 'people compare 200, 90 % ties, 20 looks',
    atMost,
    ...long,
    happens: comparedByPeople(200, fair(0.05, 0.9), 1),
  },
  {
    title: 'people compare 200 after the judge, no answer to 0.2',
    atMost,
    ...long,
    happens: comparedByPeople(200, (random) => (random() < 0.2 ? 'no answer' : fair(0.5, 0.25)(random))),
  },
  { title: '40 prompts, each repeated 5 times', atMost, ...long, happens: repeated },
  ...[0.08, 0.3, 0.9, 1].map((share) => ({
    title: `wins 27.3 %, judge prefers the first in ${100 * share} %, bound 0.45`,
    atMost,
    ...long,
    happens: (random: Random) => isProof(samplesOf(times(500, () => biased(share)(random))), { above: lowerBar }),
  })),
  ...(
    [
      [100, 0.35, 0.2],
      [30, 0.2, 0.5],
      [50, 0.05, 0.8],
      [500, 0.35, 0.2],
    ] as const
  ).map(([size, win, tie]) => ({
    title: `true win rate 0.45, ${size} samples, ${100 * tie} % ties, bound 0.45`,
    atMost,
    ...short,
    happens: (random: Random) => isProof(samplesOf(times(size, () => fair(win, tie)(random))), { above: lowerBar }),
  })),
])

describeRates('the evidence of evals accepts a better candidate', [
  { title: 'wins 0.6 of 300 without ties', atLeast: 0.75, ...short, happens: anyOf(1, 300, fair(0.6, 0)) },
  { title: 'wins 0.55, ties 0.2 of 100', atLeast: 0.75, ...short, happens: anyOf(1, 100, fair(0.55, 0.2)) },
  {
    title: 'people compare 100, wins 0.6, ties 0.2',
    atLeast: 0.75,
    ...long,
    happens: comparedByPeople(100, fair(0.6, 0.2)),
  },
  { title: 'sequential, wins 0.55, ties 0.2', atLeast: 0.75, ...long, happens: anyOfSequential(1, fair(0.55, 0.2)) },
  {
    title: 'wins 0.6 of 300, as third attempt',
    atLeast: 0.6,
    ...short,
    happens: (random) => isProof(samplesOf(times(300, () => fair(0.6, 0)(random))), { attempt: 3 }),
  },
])

/**
 * The attack of Blum & Hardt: `count` random candidates are compared on the same prompts, and a candidate that does on each
 * prompt what most of the successful ones did is compared last. It is not better on other prompts.
 */
function combined(random: Random, { prompts, count }: { readonly prompts: number; readonly count: number }) {
  const preferred = times(prompts, () => (random() < 0.5 ? 1 : -1))
  const votes = new Array<number>(prompts).fill(0)
  for (let candidate = 0; candidate < count; candidate += 1) {
    const behaviour = times(prompts, () => (random() < 0.5 ? 1 : -1))
    const score = behaviour.reduce((sum, each, prompt) => sum + each * (preferred[prompt] ?? 0), 0)
    for (const [prompt, each] of behaviour.entries()) votes[prompt] = (votes[prompt] ?? 0) + Math.sign(score) * each
  }
  return samplesOf(votes.map((vote, prompt) => (vote * (preferred[prompt] ?? 0) > 0 ? won : lost)))
}

/** Compares candidates that are all as good as the baseline on the same prompts, and takes the first proof. */
function firstOf(candidates: number) {
  return (random: Random) =>
    times(candidates, (promptUses) => promptUses).some((promptUses) =>
      isProof(samplesOf(times(100, () => fair(0.4, 0.2)(random))), { promptUses }),
    )
}

describeRates('the evidence of evals on prompts that were used before', [
  ...[5, 61].map((count) => ({
    title: `accepts what ${count} earlier results suggest, 200 prompts`,
    atMost,
    ...long,
    happens: (random: Random) => isProof(combined(random, { prompts: 200, count }), { promptUses: count }),
  })),
  ...[1, 5].map((count) => ({
    title: `accepts in a sequential eval what ${count} earlier results suggest, 200 prompts`,
    atMost,
    ...long,
    happens: (random: Random) =>
      isProof(combined(random, { prompts: 200, count }), { promptUses: count, plannedSequence: 200 }),
  })),
  {
    title: 'would accept it if the 61 earlier results did not count',
    atLeast: 0.95,
    ...long,
    happens: (random) => isProof(combined(random, { prompts: 200, count: 61 })),
  },
  { title: 'accepts one of 20 candidates that are not better', atMost, ...long, happens: firstOf(20) },
  {
    title: 'accepts a candidate that wins 0.8 of 200 as the fourth comparison',
    atLeast: 0.95,
    ...long,
    happens: (random) => isProof(samplesOf(times(200, () => fair(0.8, 0)(random))), { promptUses: 3 }),
  },
])
