import { Refusal } from '../../refusal.ts'

/** @param what the feature, as the subject of a sentence in the plural */
export function unsupportedFeature(param: string, what: string): Refusal {
  return new Refusal(param, 'unsupported_parameter', `${what} are not supported with this model (${param}).`)
}
