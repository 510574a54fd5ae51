import type { CallCarrier } from '@ratchet/contracts/voice/calls'
import type { StreamCarrier } from '@ratchet/contracts/voice/number-providers'
import { type CallEnd, isOver, type StoredCall } from '../calls/call.ts'
import type { CallMoney, PaidCall } from '../calls/call-money.ts'
import type { CallStore } from '../calls/call-store.ts'
import { hashMediaToken, newMediaToken } from '../calls/media-token.ts'
import { type StoredNumber, takesCalls } from '../numbers/number.ts'
import { isSpent, type NumberStore } from '../numbers/number-store.ts'
import { type IncomingDeps, incomingOrder } from '../phone/incoming-order.ts'
import type { CarrierCalls } from './carrier-calls.ts'
import { carrierUrls, mediaUrl } from './carrier-urls.ts'
import { endOfStatus } from './dial-carriers.ts'
import type { Instruction } from './instructions.ts'

export interface AnswerDeps extends IncomingDeps {
  readonly carrierCalls: CarrierCalls
  readonly calls: Pick<CallStore, 'hasRoom'>
  readonly numbers: Pick<NumberStore, 'spentToday'>
  readonly money: Pick<CallMoney, 'hold' | 'hasPrice' | 'release'>
  readonly paidCallOf: (call: StoredCall) => Promise<PaidCall>
  /** Where carriers reach the voice interface. */
  readonly origin: string
  readonly randomBytes: (count: number) => Uint8Array
}

/** What the carrier of a number says of a call. Its signature was checked. */
export interface CarrierEvent {
  readonly number: StoredNumber
  readonly carrier: CallCarrier
  /** Of a call that we know: it was dialed by us, or was connected before. */
  readonly callId: string | null
  readonly from: string
  readonly status: string
}

const hangUp: Instruction = { kind: 'hang_up' }
const reject: Instruction = { kind: 'reject' }

/** A call came in, or one that we dial was answered. @returns what the carrier does with it */
export async function answerVoice(deps: AnswerDeps, event: CarrierEvent): Promise<Instruction> {
  const known = await find(deps, event)
  if (known !== null) return isOver(known) ? hangUp : connect(deps, event, known)
  // Of a call that names ours and is none of ours, such as a forged id.
  if (event.callId !== null) return hangUp
  const { number } = event
  if (!takesCalls(number)) return reject
  if (!(await deps.calls.hasRoom())) return fallbackOf(number)
  if (await isSpent(deps.numbers, number)) return reject
  return take(deps, event)
}

/** The audio of a call has ended: it goes on with another worker, unless it is over. */
export async function afterStream(deps: AnswerDeps, event: CarrierEvent): Promise<Instruction> {
  const call = await find(deps, event)
  return call === null || isOver(call) ? hangUp : connect(deps, event, call)
}

/** How far a call is that we dial. What comes late or twice changes nothing. */
export async function noteStatus({ carrierCalls, ...deps }: AnswerDeps, event: CarrierEvent): Promise<void> {
  const call = await find({ carrierCalls }, event)
  if (call === null || isOver(call) || call.status === 'in_progress') return
  const { carrier, status } = event
  await carrierCalls.setCarrier(call, carrier)
  if (status === 'ringing') return carrierCalls.setRinging(call, carrier)
  const end = endOfStatus(status)
  if (end === null) return
  await endUnpaid({ carrierCalls, ...deps }, call, { ...end, carrier })
}

function find({ carrierCalls }: Pick<AnswerDeps, 'carrierCalls'>, { number, callId, carrier }: CarrierEvent) {
  return carrierCalls.find(number, { id: callId, carrierCallId: carrier.id ?? '' })
}

async function take(deps: AnswerDeps, event: CarrierEvent): Promise<Instruction> {
  const { carrierCalls, money, paidCallOf } = deps
  const { number, carrier, from } = event
  const fromNumber = /^\+?[0-9*#]{2,32}$/.test(from) ? from : null
  const order = await incomingOrder(deps, { number, fromNumber })
  if (order === null) return reject
  const call = await carrierCalls.createIncoming(order, carrier)
  if (call === 'busy' || call === 'no_agent') return reject
  const paid = await paidCallOf(call)
  if (money.hasPrice(paid) && (await money.hold(paid)) === 'held') return connect(deps, event, call)
  const end = { status: 'failed', reason: 'insufficient_credits', by: 'system' } as const
  await carrierCalls.endUnanswered(call, { ...end, carrier })
  return reject
}

async function connect(deps: AnswerDeps, { number, carrier }: CarrierEvent, call: StoredCall): Promise<Instruction> {
  const { carrierCalls, origin, randomBytes } = deps
  const token = newMediaToken(randomBytes)
  const isExpected = await carrierCalls.expect(call, { tokenHash: hashMediaToken(token), carrier })
  if (!isExpected) return hangUp
  const provider = number.provider as StreamCarrier
  const { afterUrl } = carrierUrls(origin, number, call.id)
  return { kind: 'connect', mediaUrl: mediaUrl(origin, provider, { callId: call.id, token }), afterUrl }
}

function fallbackOf({ e164, settings }: StoredNumber): Instruction {
  const { fallback_number: number = null } = settings
  return number === null ? reject : { kind: 'dial', number, callerId: e164 }
}

/** What was held for it is given back. */
async function endUnpaid(
  { carrierCalls, money, paidCallOf }: Pick<AnswerDeps, 'carrierCalls' | 'money' | 'paidCallOf'>,
  call: StoredCall,
  end: CallEnd & { readonly carrier: CallCarrier },
): Promise<void> {
  await carrierCalls.endUnanswered(call, end)
  await money.release(await paidCallOf(call))
}
