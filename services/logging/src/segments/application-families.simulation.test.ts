import { adjustedRandIndex } from '@ratchet/testing/adjusted-rand-index'
import { describeRates } from '@ratchet/testing/describe-rates'
import { ACADEMY_APPLICATIONS } from './corpus/academy-applications.fixture.ts'
import { APPLICATIONS } from './corpus/applications.fixture.ts'
import { BRIEFED_APPLICATIONS, BRIEFED_PAIRS } from './corpus/briefed-applications.fixture.ts'
import { BUREAU_APPLICATIONS } from './corpus/bureau-applications.fixture.ts'
import { CAMPUS_APPLICATIONS } from './corpus/campus-applications.fixture.ts'
import { CITY_APPLICATIONS } from './corpus/city-applications.fixture.ts'
import { CLINIC_APPLICATIONS } from './corpus/clinic-applications.fixture.ts'
import { DESK_APPLICATIONS } from './corpus/desk-applications.fixture.ts'
import { ENUMERATED_APPLICATIONS } from './corpus/enumerated-applications.fixture.ts'
import { FINAL_ALIKE, FINAL_APPLICATIONS } from './corpus/final-applications.fixture.ts'
import { GARAGE_APPLICATIONS } from './corpus/garage-applications.fixture.ts'
import { HARBOUR_APPLICATIONS } from './corpus/harbour-applications.fixture.ts'
import { HELD_OUT_APPLICATIONS, RESEMBLING_APPLICATIONS } from './corpus/held-out-applications.fixture.ts'
import { INSERTED_TEXTS } from './corpus/inserted-texts.fixture.ts'
import { LAID_OUT_APPLICATIONS } from './corpus/laid-out-applications.fixture.ts'
import { MULTILINGUAL_APPLICATIONS } from './corpus/multilingual-applications.fixture.ts'
import { NEWSROOM_APPLICATIONS } from './corpus/newsroom-applications.fixture.ts'
import { ONCE_MEASURED_APPLICATIONS } from './corpus/once-measured-applications.fixture.ts'
import { PAIRS_APART } from './corpus/pairs-apart.fixture.ts'
import { PIPELINE_APPLICATIONS } from './corpus/pipeline-applications.fixture.ts'
import { CORPUS_GROUPS, type LabelledPrompt, shuffle } from './corpus/prompt-corpus.fixture.ts'
import { RECURRING_APPLICATIONS } from './corpus/recurring-applications.fixture.ts'
import { RESERVED_ALIKE, RESERVED_APPLICATIONS } from './corpus/reserved-applications.fixture.ts'
import { SECTIONED_APPLICATIONS } from './corpus/sectioned-applications.fixture.ts'
import { SMALL_VOCABULARY_APPLICATIONS } from './corpus/small-vocabulary-applications.fixture.ts'
import {
  ADDRESSED,
  FEW_SHOTS,
  JSON_PROMPTS,
  LONG_CONTEXTS,
  TOOL_AGENTS,
} from './corpus/structured-applications.fixture.ts'
import { STUDIO_APPLICATIONS } from './corpus/studio-applications.fixture.ts'
import { UNREAD_ALIKE, UNREAD_APPLICATIONS } from './corpus/unread-applications.fixture.ts'
import { UNSEEN_APPLICATIONS } from './corpus/unseen-applications.fixture.ts'
import { createValues } from './corpus/values.fixture.ts'
import { WITHHELD_APPLICATIONS } from './corpus/withheld-applications.fixture.ts'
import { CARDS, DEVELOPERS, GAMES, TRANSCRIPTS, TWELVE_LANGUAGES } from './corpus/world-applications.fixture.ts'
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
/** Applications in many scripts with words out of a few: each set was written before rules that were then measured on it. */
const SETS = [
  { title: 'withheld', families: WITHHELD_APPLICATIONS },
  { title: 'reserved', families: RESERVED_APPLICATIONS },
  { title: 'unread', families: UNREAD_APPLICATIONS },
  { title: 'final', families: FINAL_APPLICATIONS },
  { title: 'once measured', families: ONCE_MEASURED_APPLICATIONS },
  { title: 'small vocabulary', families: SMALL_VOCABULARY_APPLICATIONS },
  {
    title: 'structured',
    families: [
      ...[JSON_PROMPTS, TOOL_AGENTS, LONG_CONTEXTS, FEW_SHOTS, ADDRESSED].flat(),
      ...[TWELVE_LANGUAGES, GAMES, DEVELOPERS, CARDS, TRANSCRIPTS].flat(),
    ],
  },
]
/**
 * Applications whose prompts have lines: each set was written before rules that were then measured on it. Many of their
 * sentences have one of a few values, which keeps the index below that of others.
 */
const LINES = [
  { title: 'laid out', families: LAID_OUT_APPLICATIONS, index: 0.88 },
  { title: 'sectioned', families: SECTIONED_APPLICATIONS, index: 0.95 },
  { title: 'pipeline', families: PIPELINE_APPLICATIONS, index: 0.92 },
  { title: 'campus', families: CAMPUS_APPLICATIONS, index: 0.9 },
  { title: 'newsroom', families: NEWSROOM_APPLICATIONS, index: 0.84 },
  { title: 'clinic', families: CLINIC_APPLICATIONS, index: 0.95 },
  { title: 'city', families: CITY_APPLICATIONS, index: 0.95 },
  { title: 'harbour', families: HARBOUR_APPLICATIONS, index: 0.95 },
  { title: 'academy', families: ACADEMY_APPLICATIONS, index: 0.95 },
  { title: 'bureau', families: BUREAU_APPLICATIONS, index: 0.95 },
  { title: 'studio', families: STUDIO_APPLICATIONS, index: 0.95 },
  { title: 'garage', families: GARAGE_APPLICATIONS, index: 0.95 },
  { title: 'desk', families: DESK_APPLICATIONS, index: 0.93 },
]
const ALIKE = [...RESERVED_ALIKE, ...UNREAD_ALIKE, ...FINAL_ALIKE].flat()
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
    fullRuns: 40,
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
    fullRuns: 40,
    happens(random: () => number) {
      const prompts = ordered(requests(random, RECURRING), order, random)
      const truth = prompts.map((prompt) => prompt.truth)
      return adjustedRandIndex(truth, assignConcurrently(prompts)) >= 0.95
    },
  })),
  // The first three values of a word are families of their own until the fourth one is seen, which matters less later.
  ...SETS.map(({ title, families }) => ({
    title: `the adjusted Rand index of ${title} applications is at least 0.95 for 150 requests each`,
    atLeast: 0.9,
    runs: title === 'final' ? 1 : 0,
    fullRuns: 20,
    happens(random: () => number) {
      const prompts = shuffle(requests(random, [[title, families]], 150), random)
      const truth = prompts.map((prompt) => prompt.truth)
      return adjustedRandIndex(truth, assignConcurrently(prompts)) >= 0.95
    },
  })),
  ...LINES.map(({ title, families, index }) => ({
    title: `the adjusted Rand index of ${title} applications is at least ${index} for 150 requests each`,
    atLeast: 0.9,
    runs: title === 'bureau' ? 1 : 0,
    fullRuns: 20,
    happens(random: () => number) {
      const prompts = shuffle(requests(random, [[title, families]], 150), random)
      const truth = prompts.map((prompt) => prompt.truth)
      return adjustedRandIndex(truth, assignConcurrently(prompts)) >= index
    },
  })),
  {
    title: 'the adjusted Rand index of briefings alone is at least 0.95',
    atLeast: 0.99,
    runs: 2,
    fullRuns: 200,
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
    fullRuns: 500,
    happens: (random) => mixedFamilies(shuffle(requests(random, [['pairs', BRIEFED_PAIRS.flat()]], 10), random)) > 0,
  },
  {
    title: 'two applications that differ in one word are mixed',
    atMost: 0.001,
    runs: 2,
    fullRuns: 100,
    happens: (random) => mixedFamilies(shuffle(requests(random, [['pairs', PAIRS_APART.flat()]], 30), random)) > 0,
  },
  {
    title: 'two or three applications in many scripts that differ in a word are mixed',
    atMost: 0.001,
    runs: 2,
    fullRuns: 200,
    happens: (random) => mixedFamilies(shuffle(requests(random, [['alike', ALIKE]], 30), random)) > 0,
  },
  {
    title: 'two applications are mixed',
    atMost: 0.001,
    runs: 2,
    fullRuns: 60,
    happens(random) {
      const others = {
        ...CORPUS_GROUPS,
        resembling: RESEMBLING_APPLICATIONS,
        enumerated: ENUMERATED_APPLICATIONS,
        sets: [...SETS, ...LINES].flatMap(({ families }) => families),
      }
      const all = [...TEMPLATES, ...RECURRING, ...Object.entries(others)]
      return mixedFamilies(shuffle(requests(random, all, 20), random)) > 0
    },
  },
])
