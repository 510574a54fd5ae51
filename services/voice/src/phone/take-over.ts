import { LegError } from '@ratchet/sip/agent/sip-leg'
import { callEndOf } from '../calls/call-end.ts'
import { openLine, type PhoneContext } from './phone-context.ts'
import type { LeftCall } from './phone-work.ts'

/** Goes on with a call whose worker is gone: offers our address to its carrier. Resolves when it is held, or has ended. */
export async function takeOver(context: PhoneContext, { call, dialog }: LeftCall): Promise<void> {
  const { agent, work, worker, calls, trunksNow, onError } = context
  const lost = { ...callEndOf('worker_lost'), usage: call.usage }
  const trunk = trunksNow.byId(dialog.trunkId)
  if (trunk === null) {
    await calls.end(call, lost)
    return
  }
  const begun = await worker.begin(call)
  if ('refused' in begun) {
    agent.abandon(dialog)
    await calls.end(call, { ...callEndOf(begun.refused), usage: call.usage })
    return
  }
  const { prepared } = begun
  try {
    const { line, bind } = openLine(context, call, trunk)
    const leg = await agent.resume(dialog, line.legEvents)
    await work.saveDialog(call, leg.snapshot())
    line.attach(leg)
    bind(worker.hold(prepared, line), leg)
  } catch (error) {
    // The caller has hung up meanwhile, or the carrier does not go on with it.
    if (!(error instanceof LegError)) onError(error, { callId: call.id })
    agent.abandon(dialog)
    await prepared.meter.settle(call.usage)
    await calls.end(call, lost)
  }
}
