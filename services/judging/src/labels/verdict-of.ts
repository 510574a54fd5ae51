import type { Verdict } from '@ratchet/contracts/criteria'
import { ServiceError } from '@ratchet/service-kit/service-error'

/** A verdict under either of its names. @throws ServiceError when there is none, or two that differ */
export function verdictOf({
  label,
  verdict,
}: {
  readonly label?: Verdict | undefined
  readonly verdict?: Verdict | undefined
}): Verdict {
  if (label !== undefined && verdict !== undefined && label !== verdict) {
    const message = '`label` and `verdict` are two names of one field and differ: send one of them.'
    throw new ServiceError('invalid_request', message, { param: 'verdict' })
  }
  const found = label ?? verdict
  if (found === undefined) throw new ServiceError('invalid_request', '`label` is required.', { param: 'label' })
  return found
}
