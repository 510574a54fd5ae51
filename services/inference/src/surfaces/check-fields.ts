import { ServiceError } from '@ratchet/service-kit/service-error'
import type { Body } from '../wire/dialect.ts'
import { isModelList, isModelName, modelsMax, requestedModels } from './requested-models.ts'

/** What a field of a body must be. */
export interface FieldRule {
  readonly param: string
  readonly accepts: (value: unknown) => boolean
  /** Completes "`param` …", as in "must be a boolean". */
  readonly demand: string
}

/**
 * The models that a body names.
 *
 * @throws ServiceError `invalid_request` naming the first field that breaks its rule, or `model` when none is named
 */
export function checkFields(body: Body, rules: readonly FieldRule[]): readonly string[] {
  const broken = [...modelRules, ...rules].find(({ param, accepts }) => !accepts(body[param]))
  if (broken !== undefined) throw fieldFault(broken, body[broken.param])
  const { model, models } = body as { model?: string | null; models?: readonly string[] | null }
  const named = requestedModels(model, models)
  if (named.length === 0) throw fieldFault({ param: 'model', demand: 'is required' }, undefined)
  return named
}

/** Says what is wrong with the field at `param`, a path such as `input.3`. */
export function fieldFault({ param, demand }: Pick<FieldRule, 'param' | 'demand'>, value: unknown): ServiceError {
  const message = value === undefined ? `${param} is required.` : `${param} ${demand}.`
  return new ServiceError('invalid_request', message, { param })
}

/** Null is as good as absent. */
export function optional(accepts: (value: unknown) => boolean): (value: unknown) => boolean {
  return (value) => value === undefined || value === null || accepts(value)
}

export function isPositiveInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

const modelRules: readonly FieldRule[] = [
  { param: 'model', accepts: optional(isModelName), demand: 'must be a string of 1 to 256 printable ASCII characters' },
  { param: 'models', accepts: optional(isModelList), demand: `must be an array of 1 to ${modelsMax} model names` },
]
