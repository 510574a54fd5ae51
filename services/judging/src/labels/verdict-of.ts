import type { Verdict } from '@ratchet/contracts/criteria'
import { ServiceError } from '@ratchet/service-kit/http/service-error'

/** Reads a verdict under one of its two names. @throws ServiceError when it is missing, or both are given and differ */
export function verdictOf({
  label,
  verdict,
}: {
  readonly label?: Verdict | undefined
  readonly verdict?: Verdict | undefined
}): Verdict {
  if (label !== undefined && verdict !== undefined && label !== verdict) {
    const message = '`label` and `verdict` are two names of one field, and differ. Send one of them.'
    throw new ServiceError('invalid_request', message, { param: 'verdict' })
  }
  const found = label ?? verdict
  if (found === undefined) throw new ServiceError('invalid_request', '`label` is required.', { param: 'label' })
  return found
}
