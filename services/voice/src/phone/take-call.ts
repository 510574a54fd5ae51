import type { IncomingCall } from '@ratchet/sip/agent/incoming-call'
import { LegError } from '@ratchet/sip/agent/sip-leg'
import type { CallEnd, StoredCall } from '../calls/call.ts'
import type { PreparedCall } from '../calls/prepared-call.ts'
import type { StoredNumber } from '../numbers/number.ts'
import { isSpent } from '../numbers/number-store.ts'
import { callerNumber, findNumber } from './find-number.ts'
import { incomingOrder } from './incoming-order.ts'
import { keepHeld, openLine, type PhoneContext, uriAt } from './phone-context.ts'

/** Statuses of SIP with which a caller is refused. */
const refusals = { unknown: 404, busy: 486, noAgent: 480, full: 503, broken: 500 } as const

/** Time in which a call to a number with a fallback is answered, milliseconds. */
const answerMs = 3_000

/** Answers a call of a trunk, or refuses it. Resolves when it is held, or was refused. */
export async function takeCall(context: PhoneContext, incoming: IncomingCall): Promise<void> {
  const { taking, trunksNow } = context
  const number = findNumber(context.numbersNow, {
    to: incoming.to,
    isFrom(each) {
      const trunk = trunksNow.byId(each.id)
      return trunk !== null && trunksNow.isOf(trunk, incoming.host)
    },
  })
  if (number === null) return incoming.refuse(refusals.unknown)
  let over: Over | null = null
  const isOver = () => over !== null
  const stopWaiting = turnAwayLate(context, { incoming, number }, () => {
    over = 'late'
  })
  incoming.onCancelled(() => {
    over = 'cancelled'
  })
  let hasPlace = false
  try {
    await taking.run(number.workspaceId, async () => {
      hasPlace = true
      if (!isOver()) await takeInPlace(context, { incoming, number, over: () => over })
    })
  } catch (error) {
    if (hasPlace) context.onError(error)
    if (!isOver()) turnAway(context, { incoming, number }, hasPlace ? refusals.broken : refusals.full)
  } finally {
    stopWaiting()
  }
}

async function takeInPlace(context: PhoneContext, taken: Taken): Promise<void> {
  const free = context.worker.reserve()
  if (free === null) return turnAway(context, taken, refusals.full)
  try {
    const refusal = await take(context, taken)
    if (refusal !== null && taken.over() === null) taken.incoming.refuse(refusal)
  } finally {
    free()
  }
}

/** Why nobody waits for our answer: the caller has hung up, or was sent to the fallback. */
type Over = 'cancelled' | 'late'

interface Called {
  readonly incoming: IncomingCall
  readonly number: StoredNumber
}

/** Nobody here can answer: the trunk is asked to call the fallback of the number instead, or gets this status. */
function turnAway({ trunksNow }: PhoneContext, { incoming, number }: Called, status: number): void {
  const trunk = trunksNow.byId(number.id)
  const { fallback_number: fallback = null } = number.settings
  if (trunk === null || fallback === null) incoming.refuse(status)
  else incoming.redirect(uriAt(trunk, fallback))
}

/** The same when the call is not answered in time, for a number that has a fallback. @returns a function that ends the wait */
function turnAwayLate(context: PhoneContext, called: Called, onLate: () => void): () => void {
  if ((called.number.settings.fallback_number ?? null) === null) return () => undefined
  const stop = context.every(answerMs, () => {
    stop()
    onLate()
    turnAway(context, called, refusals.full)
  })
  return stop
}

interface Taken {
  readonly incoming: IncomingCall
  readonly number: StoredNumber
  readonly over: () => Over | null
}

/** @returns the status with which the caller is refused; null: the call is held */
async function take(context: PhoneContext, { incoming, number, over }: Taken): Promise<number | null> {
  const { work, workerId, numbers, money, paidCallOf, worker } = context
  if (await isSpent(numbers, number)) return refusals.busy
  const order = await incomingOrder(context, { number, fromNumber: callerNumber(incoming.from) })
  if (order === null) return refusals.noAgent
  incoming.ring()
  const call = await work.createIncoming(order, workerId)
  if (call === 'busy') return refusals.busy
  if (call === 'no_agent') return refusals.noAgent
  const end = (how: CallEnd) => work.endUnanswered(call, { ...how, carrier: carrierOf(incoming) })
  try {
    const paid = await paidCallOf(call)
    const isPaid = money.hasPrice(paid) && (await money.hold(paid)) === 'held'
    const begun = isPaid ? await worker.begin(call) : { refused: 'insufficient_credits' as const }
    if ('refused' in begun) {
      await end({ status: 'failed', reason: begun.refused, by: 'system' })
      return refusals.busy
    }
    return await answer(context, { call, incoming, prepared: begun.prepared, over, end })
  } catch (error) {
    await end({ status: 'failed', reason: 'carrier_error', by: 'system' })
    throw error
  }
}

interface Answering {
  readonly call: StoredCall
  readonly incoming: IncomingCall
  readonly prepared: PreparedCall
  readonly over: () => Over | null
  readonly end: (how: CallEnd) => Promise<void>
}

async function answer(
  context: PhoneContext,
  { call, incoming, prepared, over, end }: Answering,
): Promise<number | null> {
  const { work, worker, trunksNow, ringing } = context
  const trunk = call.phone === null ? null : trunksNow.byId(call.phone.numberId)
  const stopKeeping = keepHeld(context, prepared)
  let isStopped = false
  ringing.set(call.id, () => {
    isStopped = true
  })
  try {
    if (trunk === null) throw new Error('the trunk of a call was removed')
    const { line, bind } = openLine(context, call, trunk)
    const leg = await incoming.answer(line.legEvents, { trunkId: trunk.id }).catch((error: unknown) => {
      if (error instanceof LegError) return error
      throw error
    })
    if (leg instanceof LegError || isStopped) {
      if (!(leg instanceof LegError)) leg.hangup('stopped')
      await prepared.meter.settle(call.usage)
      await end(unansweredEnd({ isStopped, over: over() }))
      return null
    }
    // The other side has yet to describe its audio when it did not offer any.
    const answered = { carrier: carrierOf(incoming), dialog: leg.snapshot() }
    const isOurs = await work.setAnswered(call, answered).catch((error: unknown) => {
      leg.hangup('internal error')
      throw error
    })
    if (!isOurs) {
      leg.hangup('the call has ended')
      await prepared.meter.settle(call.usage)
      return null
    }
    line.attach(leg)
    bind(worker.hold(prepared, line), leg)
    return null
  } catch (error) {
    await prepared.meter.settle(call.usage)
    throw error
  } finally {
    stopKeeping()
    ringing.delete(call.id)
  }
}

function unansweredEnd({ isStopped, over }: { isStopped: boolean; over: Over | null }): CallEnd {
  if (isStopped) return { status: 'canceled', reason: 'canceled', by: 'api' }
  if (over === 'cancelled') return { status: 'no_answer', reason: 'caller_hangup', by: 'caller' }
  if (over === 'late') return { status: 'no_answer', reason: 'no_answer', by: 'system' }
  return { status: 'failed', reason: 'carrier_error', by: 'system' }
}

const carrierOf = ({ callId }: IncomingCall) => ({ provider: 'sip' as const, id: callId, sip_status: null })
