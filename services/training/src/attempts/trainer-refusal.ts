import type { ErrorEnvelope } from '@ratchet/contracts/errors'
import { type TrainerErrorCode, trainerErrors } from '@ratchet/contracts/trainer-protocol'

/** An error of the trainer protocol alone. The message is sent. */
export class TrainerRefusal extends Error {
  override name = 'TrainerRefusal'
  readonly code: TrainerErrorCode
  readonly details: Readonly<Record<string, unknown>> | undefined

  constructor(code: TrainerErrorCode, message: string, details?: Readonly<Record<string, unknown>>) {
    super(message)
    this.code = code
    this.details = details
  }

  get status(): number {
    return trainerErrors[this.code].status
  }

  envelope(requestId: string): ErrorEnvelope {
    const { code, message, details } = this
    const { type } = trainerErrors[code]
    const error = { message, type, code, param: null, request_id: requestId }
    return { error: details === undefined ? error : { ...error, details: { ...details } } }
  }
}

export function superseded(): TrainerRefusal {
  return new TrainerRefusal('attempt_superseded', 'This attempt has ended.')
}
