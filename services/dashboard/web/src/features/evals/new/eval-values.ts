import { PlanEval } from '@ratchet/contracts/eval-plan'
import type { CreateEval } from '@ratchet/contracts/evals'
import { loggedBaseline } from '@ratchet/contracts/evals'
import type { z } from 'zod'

export type PromptSource = 'logs' | 'dataset' | 'runs'

/** What the form of a new eval holds. Empty texts mean that nothing is chosen yet. */
export interface EvalValues {
  readonly name: string
  readonly source: PromptSource
  readonly baseline: string
  readonly candidates: readonly string[]
  readonly judgeKind: 'criterion' | 'rubric'
  readonly criterionId: string
  readonly judgeModels: readonly string[]
  readonly rubric: string
  readonly comparesWithStored: boolean
  readonly question: 'better' | 'not_worse'
  /** Percentage points. */
  readonly marginPoints: number
  readonly stops: boolean
  readonly samples: number
  readonly repetitions: number
  /** US dollars as text; null follows the estimate. */
  readonly maxCost: string | null
}

/** The part of the prompts that the address holds. */
export interface PromptChoice {
  readonly tag?: string | undefined
  readonly segment?: string | undefined
  readonly model?: string | undefined
  readonly dataset_id?: string | undefined
}

export const newEvalValues: EvalValues = {
  name: '',
  source: 'logs',
  baseline: '',
  candidates: [],
  judgeKind: 'criterion',
  criterionId: '',
  judgeModels: [],
  rubric: '',
  comparesWithStored: false,
  question: 'better',
  marginPoints: 5,
  stops: false,
  samples: 100,
  repetitions: 1,
  maxCost: null,
}

type EvalBody = z.input<typeof CreateEval>

/** The body of the eval; null while something is missing. */
export function bodyOf(values: EvalValues, prompts: PromptChoice): EvalBody | null {
  if (missingIn(values, prompts).length > 0) return null
  const body: EvalBody = {
    name: nameOf(values),
    baseline_model: baselineOf(values),
    candidate_models: [...values.candidates],
    sample_count: values.samples,
    sample_filters: filtersOf(values, prompts),
    repetitions: hasOneAnswer(values) ? 1 : values.repetitions,
    question: values.question,
    ...(values.question === 'not_worse' ? { margin: values.marginPoints / 100 } : {}),
    ...(values.stops ? { stop_when: 'conclusive' as const } : {}),
    ...judgeOf(values),
    ...referenceOf(values),
  }
  return PlanEval.safeParse(body).success ? body : null
}

/** Whether an eval can only have one answer for each prompt and model. */
export function hasOneAnswer({ stops, source }: EvalValues): boolean {
  return stops || source === 'runs'
}

/** What still has to be chosen, as the rest of "Choose …". */
export function missingIn(values: EvalValues, { dataset_id: datasetId = '' }: PromptChoice): readonly string[] {
  const { source, candidates, judgeKind, criterionId, judgeModels, rubric } = values
  return [
    ...(source === 'dataset' && datasetId === '' ? ['a dataset'] : []),
    ...(baselineOf(values) === '' ? ['the baseline'] : []),
    ...(candidates.length === 0 ? ['a candidate'] : []),
    ...(judgeKind === 'criterion' && criterionId === '' ? ['a judge'] : []),
    ...(judgeKind === 'rubric' && judgeModels.length === 0 ? ['the model of the judge'] : []),
    ...(judgeKind === 'rubric' && rubric.trim() === '' ? ['what a good answer is'] : []),
  ]
}

export function nameOf(values: EvalValues): string {
  const { name, candidates } = values
  return name.trim() === '' ? `${candidates.join(', ')} against ${baselineOf(values)}`.slice(0, 200) : name.trim()
}

/** Whole runs are compared with what was logged. */
function baselineOf({ source, baseline }: EvalValues): string {
  return source === 'runs' ? loggedBaseline : baseline
}

function filtersOf({ source }: EvalValues, { tag, segment, model, dataset_id: datasetId }: PromptChoice) {
  if (source === 'dataset') return { dataset_id: datasetId }
  const set = Object.entries({ tag, segment, model }).filter(([, value]) => value !== undefined && value !== '')
  return { ...Object.fromEntries(set), ...(source === 'runs' ? { trace_replay: true } : {}) }
}

function judgeOf({ judgeKind, criterionId, judgeModels, rubric }: EvalValues): Partial<EvalBody> {
  if (judgeKind === 'criterion') return { criterion_id: criterionId }
  const models = judgeModels.length === 1 ? { judge_model: judgeModels[0] } : { judge_models: [...judgeModels] }
  return { ...models, rubric: rubric.trim() }
}

function referenceOf({ source, comparesWithStored }: EvalValues): Partial<EvalBody> {
  if (!comparesWithStored || source === 'runs') return {}
  return { judging_mode: 'match_reference', reference: source === 'dataset' ? 'dataset' : 'logged_reply' }
}
