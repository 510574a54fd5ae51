/** Most models that one request may name. */
export const modelsMax = 8

/** Printable ASCII, 1 to 256 characters. */
export function isModelName(value: unknown): value is string {
  return typeof value === 'string' && /^[\x20-\x7e]{1,256}$/.test(value)
}

/** Whether `value` may stand under `models`. */
export function isModelList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length >= 1 && value.length <= modelsMax && value.every(isModelName)
}

/** The models a checked body names, `model` first, none twice. */
export function requestedModels(
  model: string | null | undefined,
  models: readonly string[] | null | undefined,
): readonly string[] {
  return [...new Set([...(model === undefined || model === null ? [] : [model]), ...(models ?? [])])]
}
