import { describeRates, type SimulatedWorld } from '@ratchet/testing/describe-rates'
import { settingsWith } from '../aliases/alias.fixture.ts'
import { type GradesByVerdict, planGate, plannedPower } from './plan-gate.ts'
import {
  findWorseSegments,
  type SimulatedCanary,
  type SimulatedSegments,
  simulateCanary,
} from './simulated-canary.fixture.ts'

/** A judge with 3 % errors, which is what the gate believes of it. */
const usual = { tpr: 0.97, tnr: 0.97 }
const good = { failRate: 0.1, ...usual }

/** One-sided error rate of a gate of 95 %. */
const nominal = 0.025

const each = (grades: number) => ({ target: grades, canary: grades })

const common = {
  target: good,
  canary: good,
  grades: each(300),
  drawn: 'planned',
  answers: 6_000,
  everyAnswers: 100,
} as const

function world(
  title: string,
  promised: Pick<SimulatedWorld, 'atMost' | 'atLeast'> & { readonly action: 'promote' | 'roll_back' },
  change: Partial<SimulatedCanary>,
): SimulatedWorld {
  const { action, ...rates } = promised
  const canary: SimulatedCanary = { ...common, ...change }
  return {
    title,
    ...rates,
    runs: 10,
    fullRuns: 1_500,
    happens: (random) => simulateCanary(canary, random).action === action,
  }
}

const never = { action: 'promote', atMost: nominal } as const
const wrongly = { action: 'promote', atLeast: 0.5 } as const
const at10 = { settings: { canary_percent: 10 }, answers: 20_000, everyAnswers: 150 }

describeRates('promotes a canary whose style fools the judge', [
  world('18 % against 10 %, half of its fails found', never, { canary: { failRate: 0.18, tpr: 0.485, tnr: 0.97 } }),
  world('the same with 20 grades', never, { canary: { failRate: 0.18, tpr: 0.485, tnr: 0.97 }, grades: each(20) }),
  world('the same, graded at random', never, { canary: { failRate: 0.18, tpr: 0.485, tnr: 0.97 }, drawn: 'random' }),
  world('25 % against 10 %, TPR 0.3', never, { canary: { failRate: 0.25, tpr: 0.3, tnr: 0.97 } }),
  world('10:90, 20 % against 10 %, TPR 0.4', never, { canary: { failRate: 0.2, tpr: 0.4, tnr: 0.97 }, ...at10 }),
  world('15 % against 10 %, the judge sees no difference', never, { canary: { failRate: 0.15, tpr: 0.64, tnr: 0.97 } }),
  world('5 % against 0 %, none found', never, {
    target: { failRate: 0, tpr: 1, tnr: 1 },
    canary: { failRate: 0.05, tpr: 0, tnr: 1 },
  }),
  world('7 % against 2 %, 800 grades, every 20 answers', never, {
    target: { failRate: 0.02, tpr: 1, tnr: 0.99 },
    canary: { failRate: 0.07, tpr: 0.3, tnr: 0.99 },
    grades: each(800),
    everyAnswers: 20,
  }),
])

const flattered = { canary: { failRate: 0.2, ...usual } }

describeRates('promotes a worse canary of which people grade only what flatters it', [
  world('20 % against 10 %, its bad answers skipped', never, {
    ...flattered,
    skips: { of: 'canary', isCounted: true },
  }),
  world('15 % against 10 %, its bad answers skipped', never, {
    canary: { failRate: 0.15, tpr: 0.64, tnr: 0.97 },
    skips: { of: 'canary', isCounted: true },
  }),
  world('15 % against 10 %, good ones of the target skipped too', never, {
    canary: { failRate: 0.15, tpr: 0.64, tnr: 0.97 },
    skips: { of: 'both', isCounted: true },
  }),
  world('the same, if skipped answers did not count', wrongly, {
    canary: { failRate: 0.15, tpr: 0.64, tnr: 0.97 },
    skips: { of: 'canary', isCounted: false },
  }),
])

describeRates('promotes a canary that is worse by exactly the threshold', [
  world('50:50', never, { canary: { failRate: 0.15, ...usual } }),
  world('10:90', never, { canary: { failRate: 0.15, ...usual }, ...at10 }),
  world('the judge lost TPR on both arms, 6 points worse', never, {
    target: { failRate: 0.1, tpr: 0.7, tnr: 0.97 },
    canary: { failRate: 0.16, tpr: 0.7, tnr: 0.97 },
  }),
])

describeRates('promotes an equal canary', [
  world('300 grades per arm', { action: 'promote', atLeast: 0.85 }, {}),
  world('200 grades per arm', { action: 'promote', atLeast: 0.5 }, { grades: each(200) }),
  world('10:90, 300 grades per arm', { action: 'promote', atLeast: 0.85 }, at10),
  world(
    '2 % fails, 200 grades per arm',
    { action: 'promote', atLeast: 0.9 },
    {
      target: { failRate: 0.02, ...usual },
      canary: { failRate: 0.02, ...usual },
      grades: each(200),
    },
  ),
  world('no grades', { action: 'promote', atMost: 0 }, { grades: each(0) }),
])

/** Exactly what the gate wants before it starts. */
function asPlanned(change: Partial<SimulatedCanary>): Partial<SimulatedCanary> {
  const settings = settingsWith({ canary_percent: 50, ...change.settings })
  const { failRate, tpr, tnr } = change.target ?? good
  const { scored, grades } = planGate({ settings, assumed: { failRate, tpr, tnr } })
  const sumOf = ({ fails, passes }: GradesByVerdict) => fails + passes
  return {
    ...change,
    answers: scored.target + scored.canary,
    grades: { target: sumOf(grades.target), canary: sumOf(grades.canary) },
  }
}

const planned = { action: 'promote', atLeast: plannedPower } as const
const weak = { failRate: 0.1, tpr: 0.9, tnr: 0.9 }
const rare = { failRate: 0.02, ...usual }

describeRates('promotes an equal canary with the answers and grades that the plan names', [
  world('50:50', planned, asPlanned({})),
  world('10:90', planned, asPlanned(at10)),
  world('2 % fails', planned, asPlanned({ target: rare, canary: rare })),
  world('a margin of 10 points', planned, asPlanned({ settings: { gate_rollback_threshold: 0.1 } })),
  world('a judge of 0.9', planned, { ...asPlanned({ target: weak, canary: weak }) }),
])

const alarms = { action: 'roll_back', atMost: nominal } as const

describeRates('rolls back an equal canary', [
  world('50:50, no grades', alarms, { grades: each(0) }),
  world('50:50, 300 grades', alarms, {}),
  world('10:90, no grades', alarms, { grades: each(0), ...at10 }),
  world('2 % fails, threshold 0.001, 300 grades', alarms, {
    target: { failRate: 0.02, ...usual },
    canary: { failRate: 0.02, ...usual },
    settings: { gate_rollback_threshold: 0.001 },
  }),
  world('the judge fails its style (TNR 0.91), 300 grades', alarms, {
    canary: { failRate: 0.1, tpr: 0.97, tnr: 0.91 },
  }),
])

describeRates('rolls back a worse canary', [
  world(
    '30 % against 10 %, no grades',
    { action: 'roll_back', atLeast: 0.99 },
    { canary: { failRate: 0.3, ...usual }, grades: each(0) },
  ),
  world(
    '20 % against 10 %, no grades',
    { action: 'roll_back', atLeast: 0.85 },
    { canary: { failRate: 0.2, ...usual }, grades: each(0) },
  ),
  world(
    '20 % against 10 %, 300 grades',
    { action: 'roll_back', atLeast: 0.85 },
    { canary: { failRate: 0.2, ...usual } },
  ),
  world(
    '25 % against 10 %, TPR 0.3, 300 grades',
    { action: 'roll_back', atLeast: 0.7 },
    { canary: { failRate: 0.25, tpr: 0.3, tnr: 0.97 } },
  ),
])

const even = Array.from({ length: 8 }, (_, index) => ({ share: index === 0 ? 0.3 : 0.1, target: 0.1, canary: 0.1 }))
const worseInOne = even.map((each, index) => (index === 3 ? { ...each, canary: 0.35 } : each))

function segments(
  title: string,
  rates: Pick<SimulatedWorld, 'atMost' | 'atLeast'>,
  { names, ...traffic }: Partial<SimulatedSegments> & { readonly names: (found: ReadonlySet<string>) => boolean },
): SimulatedWorld {
  const split: SimulatedSegments = { segments: even, answers: 8_000, everyAnswers: 100, ...traffic }
  return { title, ...rates, runs: 10, fullRuns: 1_500, happens: (random) => names(findWorseSegments(split, random)) }
}

describeRates('names segments in which the canary is worse', [
  segments('falsely, when it is equal in all of eight', { atMost: 0.05 }, { names: (found) => found.size > 0 }),
  segments(
    'falsely, when it is worse by the threshold in all of eight',
    { atMost: 0.05 },
    {
      segments: even.map((each) => ({ ...each, canary: 0.15 })),
      names: (found) => found.size > 0,
    },
  ),
  segments(
    'rightly, 35 % against 10 % in one of eight',
    { atLeast: 0.9 },
    {
      segments: worseInOne,
      names: (found) => found.has('segment 3'),
    },
  ),
  segments(
    'another one, while one of eight is worse',
    { atMost: 0.05 },
    {
      segments: worseInOne,
      names: (found) => [...found].some((name) => name !== 'segment 3'),
    },
  ),
])
