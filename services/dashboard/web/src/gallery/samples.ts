import type { CanaryPoint } from '../pictures/canary-sentence.ts'
import type { GradingPlanFacts } from '../pictures/grading-plan-sentence.ts'
import type { GuardPoint } from '../pictures/guard-sentence.ts'
import type { IntervalRow } from '../pictures/interval-rows.tsx'
import type { LoopStep } from '../pictures/loop-ring.tsx'
import type { LossFacts } from '../pictures/loss-sentence.ts'
import type { StackBar } from '../pictures/stacks.ts'
import type { StepFacts } from '../pictures/step-sentence.ts'
import type { WaterfallSpan } from '../pictures/waterfall-rows.ts'
import type { WearFacts } from '../pictures/wear-sentence.ts'

/** Made-up numbers for the gallery. */
export const candidates: readonly IntervalRow[] = [
  { label: 'sim/small', value: 0.58, interval: [0.52, 0.64], state: 'proven' },
  { label: 'sim/medium', value: 0.51, interval: [0.45, 0.57], state: 'open' },
  { label: 'a-provider/with-a-long-model-name', value: 0.41, interval: [0.36, 0.47], state: 'wrong' },
]

export const looks: readonly CanaryPoint[] = Array.from({ length: 30 }, (_, index) => {
  const scored = 60 + index * 60
  const difference = -0.012 + 0.05 * Math.cos(index / 2) * Math.exp(-index / 6)
  const half = 1.4 / Math.sqrt(scored)
  return { scored, difference, low: difference - half, high: difference + half }
})

export const losses: LossFacts = {
  train: Array.from({ length: 120 }, (_, index) => ({
    step: index + 1,
    loss: 0.3 + 2.2 * Math.exp(-index / 40) + 0.04 * Math.sin(index * 1.7),
  })),
  valid: [40, 80, 120].map((step) => ({ step, loss: 0.4 + 2.2 * Math.exp(-step / 40) })),
  totalSteps: 200,
}

export const rewards: StepFacts = {
  title: 'Mean reward',
  points: Array.from({ length: 60 }, (_, index) => {
    const value = 0.4 + 0.35 * (1 - Math.exp(-index / 25)) + 0.02 * Math.sin(index)
    return { step: index + 1, value, interval: [value - 0.05, value + 0.05] as const }
  }),
  reference: { label: 'before training', value: 0.4 },
  totalSteps: 100,
  format: (value) => value.toFixed(2),
}

export const series = [
  { name: 'traffic', label: 'Traffic' },
  { name: 'judge', label: 'Judges' },
  { name: 'eval', label: 'Evals' },
  { name: 'rest', label: 'Not attributed' },
]

export const bars: readonly StackBar[] = Array.from({ length: 14 }, (_, index) => ({
  label: `${index + 1} Nov`,
  amounts: {
    traffic: String(4_000_000 + ((index * 7_919_113) % 3_000_000)),
    judge: String((index * 1_299_709) % 1_500_000),
    eval: index % 5 === 0 ? '2100000' : '0',
    rest: String((index * 104_729) % 300_000),
  },
}))

export const spans: readonly WaterfallSpan[] = Array.from({ length: 12 }, (_, index) => ({
  id: String(index),
  label: `step ${index}`,
  startMs: index * 240,
  endMs: index * 240 + 180 + (index % 4) * 320,
  depth: index % 3,
  isCritical: index % 2 === 0,
  hasFailed: index === 7,
}))

export const loop: readonly LoopStep[] = [
  { label: 'Traffic', value: '41,000 logged', state: 'proven' },
  { label: 'Grades', value: '169', state: 'proven' },
  { label: 'Judges', value: '1 of 3 proven', state: 'open' },
  { label: 'Evals', value: 'none done', state: 'none' },
  { label: 'Aliases', value: '1', state: 'wrong' },
]

export interface GalleryRow {
  readonly id: string
  readonly model: string
  readonly tag: string
  readonly cost: string
  readonly ms: number
}

export function galleryRows(count: number): readonly GalleryRow[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `log_${String(index).padStart(6, '0')}`,
    model: ['sim/small', 'sim/medium', 'sim/large'][index % 3] ?? '',
    tag: index % 4 === 0 ? 'support' : 'search',
    cost: String((index * 7_919) % 90_000),
    ms: 200 + ((index * 6_151) % 4_000),
  }))
}

export const drops = [
  { id: 'kept', label: 'kept', count: 1_873, isKept: true },
  { id: 'duplicate', label: 'duplicates', count: 904 },
  { id: 'truncated', label: 'cut off', count: 61 },
  { id: 'empty', label: 'empty', count: 0 },
]

export const guardLooks: readonly GuardPoint[] = [
  { time: '12:00', estimate: 1.4, low: 0.2, high: null },
  { time: '13:00', estimate: 1.2, low: 0.7, high: 1.9 },
  { time: '14:00', estimate: 1.1, low: 0.9, high: 1.3 },
]

export const wear: WearFacts = {
  model: 'sim/small',
  points: [
    { uses: 0, low: 0.61 },
    { uses: 1, low: 0.6 },
    { uses: 2, low: 0.58 },
    { uses: 3, low: 0.57 },
    { uses: 6, low: 0.53 },
    { uses: 10, low: 0.49 },
    { uses: 20, low: 0.42 },
    { uses: 40, low: null },
  ],
  uses: 3,
  low: 0.57,
  lowIfFresh: 0.61,
  usedUp: 0.55,
  bar: 0.5,
}

export const grading: GradingPlanFacts = {
  minutes: 14,
  costUsd: 0.31,
  points: [
    { grades: 10, trustworthy: 0.5, mayAct: 0.2 },
    { grades: 20, trustworthy: 0.72, mayAct: 0.44 },
    { grades: 50, trustworthy: 0.9, mayAct: 0.71 },
    { grades: 85, trustworthy: 0.95, mayAct: 0.81 },
    { grades: 100, trustworthy: 0.96, mayAct: 0.84 },
    { grades: 200, trustworthy: 0.99, mayAct: 0.95 },
  ],
  chance: 0.8,
  needed: 85,
  reason: null,
  parts: [
    { label: 'that the judge failed', grades: 25 },
    { label: 'that the judge passed', grades: 40 },
    { label: 'that it passed and users disliked', grades: 20 },
  ],
}
