import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { Body } from '../wire/dialect.ts'
import { isModelList, isModelName, maxModels, type RequestedModels, requestedModels } from './requested-models.ts'

/** A rule for one field of a body. */
export interface FieldRule {
  readonly param: string
  readonly accepts: (value: unknown) => boolean
  /** The second half of the error message, as in "must be a boolean". */
  readonly demand: string
}

/**
 * Checks the fields of a body, and returns the models that it names.
 *
 * @throws ServiceError `invalid_request` naming the first field that breaks its rule, or `model` when none is named
 */
export function checkFields(body: Body, rules: readonly FieldRule[]): RequestedModels {
  const broken = [...modelRules, ...rules].find(({ param, accepts }) => !accepts(body[param]))
  if (broken !== undefined) throw fieldFault(broken, body[broken.param])
  const { model, models } = body as { model?: string | null; models?: readonly string[] | null }
  return requestedModels(model, models)
}

/** The error for the field at `param`, a path such as `input.3`. */
export function fieldFault({ param, demand }: Pick<FieldRule, 'param' | 'demand'>, value: unknown): ServiceError {
  const message = value === undefined ? `${param} is required.` : `${param} ${demand}.`
  return new ServiceError('invalid_request', message, { param })
}

/** Null counts as absent, as with OpenAI. */
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
  { param: 'models', accepts: optional(isModelList), demand: `must be an array of 1 to ${maxModels} model names` },
]
