import { adjustedRandIndex } from '@ratchet/testing/adjusted-rand-index'
import { describeRates } from '@ratchet/testing/describe-rates'
import { APPLICATIONS } from './corpus/applications.fixture.ts'
import { BRIEFED_APPLICATIONS, BRIEFED_PAIRS } from './corpus/briefed-applications.fixture.ts'
import { ENUMERATED_APPLICATIONS } from './corpus/enumerated-applications.fixture.ts'
import { HELD_OUT_APPLICATIONS, RESEMBLING_APPLICATIONS } from './corpus/held-out-applications.fixture.ts'
import { INSERTED_TEXTS } from './corpus/inserted-texts.fixture.ts'
import { MULTILINGUAL_APPLICATIONS } from './corpus/multilingual-applications.fixture.ts'
import { PAIRS_APART } from './corpus/pairs-apart.fixture.ts'
import { CORPUS_GROUPS, type LabelledPrompt, shuffle } from './corpus/prompt-corpus.fixture.ts'
import { RECURRING_APPLICATIONS } from './corpus/recurring-applications.fixture.ts'
import { UNSEEN_APPLICATIONS } from './corpus/unseen-applications.fixture.ts'
import { createValues } from './corpus/values.fixture.ts'
import { WITHHELD_APPLICATIONS } from './corpus/withheld-applications.fixture.ts'
import type { FamilyState } from './family-state.ts'
import { createTextMiner } from './text-miner.fixture.ts'

/** 62 applications and requests without a system prompt, with other white space in each. */
const TEMPLATES = Object.entries({
  known: APPLICATIONS,
  heldOut: HELD_OUT_APPLICATIONS,
  unseen: UNSEEN_APPLICATIONS,
  briefed: BRIEFED_APPLICATIONS,
  none: [() => ' \n'],
})
/** Applications in ten languages, most of whose values recur. */
const RECURRING = Object.entries({
  multilingual: MULTILINGUAL_APPLICATIONS,
  recurring: RECURRING_APPLICATIONS,
  inserted: INSERTED_TEXTS,
})
const ORDERS = ['grouped', 'shuffled', 'reversed'] as const

function requests(random: () => number, templates = TEMPLATES, each = 45): readonly LabelledPrompt[] {
  const values = createValues(random)
  return templates.flatMap(([group, families]) =>
    families.flatMap((family, index) =>
      Array.from({ length: each }, () => {
        const text = family(values).replaceAll('\n', () => values.pick(['\n', '\r\n', ' \n', '\n\n']))
        return { group, truth: `${group}-${index}`, text }
      }),
    ),
  )
}

function ordered(prompts: readonly LabelledPrompt[], order: (typeof ORDERS)[number], random: () => number) {
  if (order === 'grouped') return prompts
  return order === 'reversed' ? prompts.toReversed() : shuffle(prompts, random)
}

/** Two processes alternate, each of which reads what the other one stored. */
function assignConcurrently(prompts: readonly LabelledPrompt[]): readonly string[] {
  const miners = [createTextMiner([]), createTextMiner([])]
  return prompts.map(({ text }, index) => {
    const { familyId, changed } = miners[index % 2]?.assign(text) ?? { familyId: '', changed: null }
    if (changed !== null) miners[(index + 1) % 2]?.absorb(JSON.parse(JSON.stringify(changed)) as FamilyState)
    return familyId
  })
}

function mixedFamilies(prompts: readonly LabelledPrompt[]): number {
  const miner = createTextMiner([])
  const truths = new Map<string, Set<string>>()
  for (const { text, truth } of prompts) {
    const { familyId } = miner.assign(text)
    truths.set(familyId, (truths.get(familyId) ?? new Set()).add(truth))
  }
  return [...truths.values()].filter(({ size }) => size > 1).length
}

describeRates('families of system prompts', [
  ...ORDERS.map((order) => ({
    title: `the adjusted Rand index is at least 0.95 over two processes, ${order}`,
    atLeast: 0.99,
    runs: 2,
    fullRuns: 400,
    happens(random: () => number) {
      const prompts = ordered(requests(random), order, random)
      const truth = prompts.map((prompt) => prompt.truth)
      return adjustedRandIndex(truth, assignConcurrently(prompts)) >= 0.95
    },
  })),
  ...ORDERS.map((order) => ({
    title: `the adjusted Rand index of recurring values is at least 0.95, ${order}`,
    atLeast: 0.99,
    runs: 2,
    fullRuns: 400,
    happens(random: () => number) {
      const prompts = ordered(requests(random, RECURRING), order, random)
      const truth = prompts.map((prompt) => prompt.truth)
      return adjustedRandIndex(truth, assignConcurrently(prompts)) >= 0.95
    },
  })),
  {
    // A fifth of these have a word out of a few amid their instructions, whose values are families of their own.
    title: 'the adjusted Rand index of withheld applications is at least 0.83',
    atLeast: 0.99,
    runs: 2,
    fullRuns: 400,
    happens(random) {
      const prompts = shuffle(requests(random, [['withheld', WITHHELD_APPLICATIONS]]), random)
      const truth = prompts.map((prompt) => prompt.truth)
      return adjustedRandIndex(truth, assignConcurrently(prompts)) >= 0.83
    },
  },
  {
    title: 'the adjusted Rand index of briefings alone is at least 0.95',
    atLeast: 0.99,
    runs: 2,
    fullRuns: 1_000,
    happens(random) {
      const prompts = shuffle(requests(random, Object.entries({ briefed: BRIEFED_APPLICATIONS })), random)
      const truth = prompts.map((prompt) => prompt.truth)
      return adjustedRandIndex(truth, assignConcurrently(prompts)) >= 0.95
    },
  },
  {
    title: 'two applications that differ in the first sentence after a heading are mixed',
    atMost: 0.001,
    runs: 5,
    fullRuns: 3_000,
    happens: (random) => mixedFamilies(shuffle(requests(random, [['pairs', BRIEFED_PAIRS.flat()]], 10), random)) > 0,
  },
  {
    title: 'two applications that differ in one word are mixed',
    atMost: 0.001,
    runs: 2,
    fullRuns: 3_000,
    happens: (random) => mixedFamilies(shuffle(requests(random, [['pairs', PAIRS_APART.flat()]], 30), random)) > 0,
  },
  {
    title: 'two applications are mixed',
    atMost: 0.001,
    runs: 2,
    fullRuns: 3_000,
    happens(random) {
      const others = {
        ...CORPUS_GROUPS,
        resembling: RESEMBLING_APPLICATIONS,
        enumerated: ENUMERATED_APPLICATIONS,
        withheld: WITHHELD_APPLICATIONS,
      }
      const all = [...TEMPLATES, ...RECURRING, ...Object.entries(others)]
      return mixedFamilies(shuffle(requests(random, all, 20), random)) > 0
    },
  },
])
