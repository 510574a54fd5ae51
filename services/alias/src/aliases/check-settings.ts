import type { PutAlias } from '@ratchet/contracts/aliases'
import { ServiceError } from '@ratchet/service-kit/service-error'

/** @throws ServiceError naming the field that does not go with the others */
export function checkSettings(requested: PutAlias): void {
  const { target_model, canary_model, canary_percent, shadow_model, shadow_percent } = requested
  if (canary_percent > 0 && canary_model === null) {
    throw invalid('canary_model', '`canary_model` is required with `canary_percent`; PUT replaces the whole alias.')
  }
  if (canary_model === target_model) throw invalid('canary_model', '`canary_model` is the target already.')
  if (shadow_percent > 0 && shadow_model === null) {
    throw invalid('shadow_model', '`shadow_model` is required with `shadow_percent`.')
  }
  if (shadow_model === target_model) throw invalid('shadow_model', '`shadow_model` is the target already.')
  if (requested.gate_mode !== null && requested.gate_criterion_id === null) {
    throw invalid('gate_criterion_id', '`gate_criterion_id` is required with `gate_mode`: a judge watches both arms.')
  }
  if (requested.force && requested.reason === null) throw invalid('reason', '`reason` is required with `force`.')
}

function invalid(param: string, message: string): ServiceError {
  return new ServiceError('invalid_request', message, { param })
}
