import type { Identity } from '@ratchet/contracts/identity'
import type { CreateCall } from '@ratchet/contracts/voice/new-call'
import { invalidRequest, notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { dayMs } from '@ratchet/service-kit/timing/durations'
import { destinationProblem } from '../numbers/destinations.ts'
import { makesCalls, type StoredNumber } from '../numbers/number.ts'
import { isSpent, type NumberStore } from '../numbers/number-store.ts'
import { requireNumber } from '../numbers/routes.ts'
import { sees } from '../scope.ts'
import type { PhoneLine, StoredCall } from './call.ts'

type Numbers = Pick<NumberStore, 'get' | 'find' | 'spentToday'>

/**
 * The line of a call to a telephone; null for a web call.
 *
 * @throws ServiceError `not_found` for another workspace's number, `insufficient_permissions` for what it may not call
 */
export async function phoneLineOf(
  numbers: Numbers,
  identity: Identity,
  { to_number: toNumber, number_id, from_number }: CreateCall,
): Promise<PhoneLine | null> {
  if (toNumber === undefined) return null
  const number =
    number_id === undefined
      ? await requireOwn(numbers, identity, from_number ?? '')
      : await requireNumber(numbers, identity, number_id, 'number_id')
  if (identity.voice?.env === 'test') throw refused('Keys for tests make no calls to telephones.')
  if (!makesCalls(number)) throw refused(`${number.e164} only takes calls; see its \`direction\`.`)
  requireDestination(number, toNumber)
  await requireBudget(numbers, number)
  return { provider: number.provider, direction: 'outbound', numberId: number.id, toNumber, fromNumber: number.e164 }
}

/** How far in the future a call may be dialed, milliseconds. */
const maxAheadMs = 7 * dayMs

/**
 * When a call is dialed at the earliest; null: now, also for a time that is past.
 *
 * @throws ServiceError `invalid_request` for a time that is too far away
 */
export function dueAtOf(scheduleAt: string | undefined, now: Date): Date | null {
  if (scheduleAt === undefined) return null
  const dueAt = new Date(scheduleAt)
  const aheadMs = dueAt.getTime() - now.getTime()
  if (aheadMs > maxAheadMs) throw invalidRequest('schedule_at', '`schedule_at` must be within seven days from now.')
  return aheadMs > 0 ? dueAt : null
}

/** @throws ServiceError `insufficient_permissions` for a destination that the number may not call */
export function requireDestination({ settings }: Pick<StoredNumber, 'settings'>, toNumber: string): void {
  const problem = destinationProblem(toNumber, settings.allowed_countries)
  if (problem !== null) throw refused(`This call is not allowed: ${problem}.`)
}

/** @throws ServiceError `conflict` for a call without a carrier, or without its number */
export async function requireTransfer(
  numbers: Pick<NumberStore, 'get'>,
  { workspaceId, phone }: StoredCall,
  to: string,
): Promise<void> {
  if (phone === null) throw new ServiceError('conflict', 'Only calls of telephones can be transferred.')
  const number = await numbers.get({ workspaceId, id: phone.numberId })
  if (number === null) throw new ServiceError('conflict', 'The number of the call was removed.')
  if (number.provider !== 'sip') {
    throw new ServiceError(
      'conflict',
      'Only calls of trunks can be transferred, and this one is of a carrier that streams it.',
    )
  }
  requireDestination(number, to)
}

async function requireOwn(numbers: Numbers, identity: Identity, e164: string): Promise<StoredNumber> {
  const number = await numbers.find({ workspaceId: identity.workspaceId, e164 })
  if (number === null || !sees(identity, number)) throw notFound('number', 'from_number')
  return number
}

async function requireBudget(numbers: Numbers, number: StoredNumber): Promise<void> {
  if (!(await isSpent(numbers, number))) return
  const { daily_spend_usd: usd } = number.settings
  throw refused(`Calls of ${number.e164} have cost their $${usd} of today; see its \`daily_spend_usd\`.`)
}

function refused(message: string): ServiceError {
  return new ServiceError('insufficient_permissions', message)
}
