import { aliasesFeature } from '../features/aliases/feature.ts'
import { billingFeature } from '../features/billing/feature.ts'
import { datasetsFeature } from '../features/datasets/feature.ts'
import { evalsFeature } from '../features/evals/feature.ts'
import { failuresFeature } from '../features/failures/feature.ts'
import { homeFeature } from '../features/home/feature.ts'
import { judgesFeature } from '../features/judges/feature.ts'
import { logsFeature } from '../features/logs/feature.ts'
import { playgroundFeature } from '../features/playground/feature.ts'
import { reviewFeature } from '../features/review/feature.ts'
import { segmentsFeature } from '../features/segments/feature.ts'
import { settingsFeature } from '../features/settings/feature.ts'
import { tracesFeature } from '../features/traces/feature.ts'
import { trainingFeature } from '../features/training/feature.ts'
import { voiceFeature } from '../features/voice/feature.ts'

/** Every feature with pages in a workspace. A line here adds its pages, its rail entry and its keys. */
export const features = [
  homeFeature,
  playgroundFeature,
  logsFeature,
  failuresFeature,
  tracesFeature,
  segmentsFeature,
  reviewFeature,
  judgesFeature,
  evalsFeature,
  aliasesFeature,
  datasetsFeature,
  trainingFeature,
  voiceFeature,
  billingFeature,
  settingsFeature,
] as const
