import { describeRates, type SimulatedWorld } from '@ratchet/testing/describe-rates'
import { type SimulatedCanary, simulateCanary } from './simulated-canary.fixture.ts'

/** A judge with 3 % errors, which is what the gate believes of it. */
const usual = { tpr: 0.97, tnr: 0.97 }
const good = { failRate: 0.1, ...usual }
/** Worse by exactly the threshold. */
const worse = { failRate: 0.15, ...usual }
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
  counting: 'runs',
} as const

type Promise = Pick<SimulatedWorld, 'atMost' | 'atLeast'> & { readonly action: 'promote' | 'roll_back' }

function world(title: string, { action, ...rates }: Promise, change: Partial<SimulatedCanary>): SimulatedWorld {
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
/** Shows what would happen without a rule. */
const wrongly = { action: 'promote', atLeast: 0.1 } as const
const at10 = { settings: { canary_percent: 10 }, answers: 20_000, everyAnswers: 150 }

describeRates('promotes a canary whose runs are worse by exactly the threshold', [
  world('steps of a run are correlated', never, { canary: worse }),
  world('10:90', never, { canary: worse, ...at10 }),
  world('all of the difference does not end', never, { canary: { ...worse, unfinished: 1 / 3 } }),
  world('a third of the bad runs of both arms does not end', never, {
    target: { ...good, unfinished: 1 / 3 },
    canary: { ...worse, unfinished: 1 / 3 },
  }),
  world('in all of the difference a fallback helps', never, { canary: { ...worse, assisted: 1 / 3 } }),
  world('bad runs of the canary take the time of 2,000 others', never, { canary: { ...worse, badTakes: 2_000 } }),
])

describeRates('promotes a canary whose runs are much worse, when the rules for runs are missing', [
  world('15 % against 10 %, ten steps of each of 600 runs as samples', wrongly, {
    canary: { failRate: 0.15, ...usual },
    counting: 'steps',
    answers: 600,
    everyAnswers: 10,
  }),
  world('18 % against 10 %, half of the bad runs do not end and are left out', wrongly, {
    canary: { failRate: 0.18, ...usual, unfinished: 0.5 },
    counting: 'only_own_ends',
  }),
  world('18 % against 10 %, in half of the bad runs a fallback helps', wrongly, {
    canary: { failRate: 0.18, ...usual, assisted: 0.5 },
    counting: 'only_own_ends',
  }),
  world('18 % against 10 %, bad runs take long and count when they end', wrongly, {
    canary: { failRate: 0.18, ...usual, badTakes: 3_000 },
    counting: 'as_they_end',
  }),
])

describeRates('the same with the rules', [
  world('15 % against 10 %, 600 runs', never, { canary: { failRate: 0.15, ...usual }, answers: 600, everyAnswers: 10 }),
  world('half of the bad runs do not end', never, { canary: { failRate: 0.18, ...usual, unfinished: 0.5 } }),
  world('in half of the bad runs a fallback helps', never, { canary: { failRate: 0.18, ...usual, assisted: 0.5 } }),
  world('bad runs take long', never, { canary: { failRate: 0.18, ...usual, badTakes: 3_000 } }),
])

describeRates('promotes a canary with equal runs', [
  world('300 grades per arm', { action: 'promote', atLeast: 0.85 }, {}),
  world('10:90', { action: 'promote', atLeast: 0.85 }, at10),
  world(
    'half of the bad runs do not end',
    { action: 'promote', atLeast: 0.85 },
    { target: { ...good, unfinished: 0.5 }, canary: { ...good, unfinished: 0.5 } },
  ),
  world(
    'a fallback helps with one in a hundred runs',
    { action: 'promote', atLeast: 0.6 },
    { target: { ...good, assisted: 0.1 }, canary: { ...good, assisted: 0.1 } },
  ),
])

const alarms = { action: 'roll_back', atMost: nominal } as const

describeRates('rolls back a canary with equal runs', [
  world('no grades', alarms, { grades: each(0) }),
  world('no grades, half of the bad runs do not end', alarms, {
    target: { ...good, unfinished: 0.5 },
    canary: { ...good, unfinished: 0.5 },
    grades: each(0),
  }),
])

describeRates('rolls back a canary whose runs are worse', [
  world(
    '30 % against 10 %, none of the difference ends',
    { action: 'roll_back', atLeast: 0.99 },
    {
      canary: { failRate: 0.3, ...usual, unfinished: 2 / 3 },
      grades: each(0),
    },
  ),
])
