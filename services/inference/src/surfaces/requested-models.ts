import { ServiceError } from '@ratchet/service-kit/http/service-error'
import type { RequestFacts } from './surface.ts'

/** Number of models that one request may name in `models`. */
export const maxModels = 8

/** Printable ASCII, 1 to 256 characters. */
export function isModelName(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]{1,256}$/.test(value)
}

/** True when `value` is a valid `models` field. */
export function isModelList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length >= 1 && value.length <= maxModels && value.every(isModelName)
}

export type RequestedModels = Pick<RequestFacts, 'requestedModel' | 'fallbackModels'>

const noFallbacks: readonly string[] = []

/**
 * The models that a checked body names: `model` first, then those of `models`, each once.
 *
 * @throws ServiceError `invalid_request` when the body names none
 */
export function requestedModels(
  model: string | null | undefined,
  models: readonly string[] | null | undefined,
): RequestedModels {
  if (typeof model === 'string' && (models === null || models === undefined)) {
    return { requestedModel: model, fallbackModels: noFallbacks }
  }
  const [requestedModel, ...fallbackModels] = new Set([
    ...(typeof model === 'string' ? [model] : []),
    ...(models ?? []),
  ])
  if (requestedModel === undefined) {
    throw new ServiceError('invalid_request', 'model is required.', { param: 'model' })
  }
  return { requestedModel, fallbackModels }
}
