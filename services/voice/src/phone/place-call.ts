import { LegError, type SipLeg } from '@ratchet/sip/agent/sip-leg'
import type { StoredCall } from '../calls/call.ts'
import { isSpent } from '../numbers/number-store.ts'
import { dialEndOf } from './dial-end.ts'
import { keepHeld, openLine, type PhoneContext, type StoppedBy, uriAt } from './phone-context.ts'

/** How long a telephone may ring, milliseconds. */
const ringMs = 45_000

/**
 * Dials a call that this worker has taken, once. Resolves when it is held, or has ended.
 *
 * @param free gives back the room that is kept for it
 */
export async function placeCall(context: PhoneContext, call: StoredCall, free: () => void): Promise<void> {
  try {
    await place(context, call)
  } catch (error) {
    context.onError(error, { callId: call.id })
    const end = { status: 'failed', reason: 'carrier_error', by: 'system', carrier: null } as const
    await context.work.endUnanswered(call, end).catch((cause) => context.onError(cause, { callId: call.id }))
  } finally {
    context.ringing.delete(call.id)
    free()
  }
}

async function place(context: PhoneContext, call: StoredCall): Promise<void> {
  const { work, agent, ringing, worker } = context
  // The number may be newer than what this worker knows.
  await context.readNumbers()
  const { trunksNow } = context
  const number = context.numbersNow.find(({ id }) => id === call.phone?.numberId)
  const trunk = call.phone === null ? null : trunksNow.byId(call.phone.numberId)
  if (call.phone === null || number === undefined || trunk === null) {
    const end = { status: 'failed', reason: 'carrier_unavailable', by: 'system', carrier: null } as const
    return work.endUnanswered(call, end)
  }
  // What the number may cost in a day was compared when the call was created, perhaps days ago, or with many others at once.
  if (await isSpent(context.numbers, number, call.dueAt === null ? call.id : null)) {
    return work.endUnanswered(call, { status: 'failed', reason: 'insufficient_credits', by: 'system', carrier: null })
  }
  let stoppedBy: StoppedBy | null = null
  const isStopped = () => stoppedBy !== null
  let hangUp = () => {}
  ringing.set(call.id, (by) => {
    stoppedBy = by
    hangUp()
  })
  const begun = await worker.begin(call)
  if ('refused' in begun) {
    return work.endUnanswered(call, { status: 'failed', reason: begun.refused, by: 'system', carrier: null })
  }
  const { prepared } = begun
  const stopKeeping = keepHeld(context, prepared)
  const { line, bind } = openLine(context, call, trunk)
  const carrierOf = (id: string | null, sip_status: number | null) => ({ provider: 'sip' as const, id, sip_status })
  let hasRung = false
  try {
    if (isStopped()) throw new LegError(487, 'INVITE')
    const outgoing = agent.dial({
      trunkId: trunk.id,
      to: uriAt(trunk, call.phone.toNumber),
      from: number.e164,
      events: line.legEvents,
      ringMs,
      onRinging() {
        if (hasRung) return
        hasRung = true
        const carrier = carrierOf(outgoing.callId, null)
        void work.setRinging(call, carrier).catch((error) => context.onError(error, { callId: call.id }))
      },
    })
    hangUp = () => outgoing.cancel()
    const leg = await answerOf(outgoing.answered)
    if (leg instanceof LegError) {
      const carrier = carrierOf(outgoing.callId, leg.status)
      await prepared.meter.settle(call.usage)
      return await work.endUnanswered(call, { ...dialEndOf({ status: leg.status, hasRung, stoppedBy }), carrier })
    }
    const answered = { carrier: carrierOf(outgoing.callId, null), dialog: leg.snapshot() }
    const isOurs = await work.setAnswered(call, answered).catch((error: unknown) => {
      leg.hangup('internal error')
      throw error
    })
    if (!isOurs) {
      leg.hangup('the call has ended')
      return await prepared.meter.settle(call.usage)
    }
    line.attach(leg)
    bind(worker.hold(prepared, line), leg)
  } catch (error) {
    await prepared.meter.settle(call.usage)
    throw error
  } finally {
    stopKeeping()
  }
}

function answerOf(answered: Promise<SipLeg>): Promise<SipLeg | LegError> {
  return answered.catch((error: unknown) => {
    if (error instanceof LegError) return error
    throw error
  })
}
