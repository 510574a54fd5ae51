import type { MediaStats } from '../media/create-media-stream.ts'
import { receiveInLeg } from './leg-requests.ts'
import { OpenLeg } from './open-leg.ts'
import { referTo } from './refer.ts'
import { createReinviter } from './reinvite.ts'
import { type AgentContext, type LegControl, LegError, type LegStart } from './sip-leg.ts'

/** Of calls whose audio is not described yet. */
const noStats: MediaStats = {
  received: 0,
  duplicate: 0,
  late: 0,
  lost: 0,
  trimmed: 0,
  sent: 0,
  ignored: 0,
  lostByPeer: null,
  roundTripMs: null,
}

/** A call from its answer to its end. */
export function createLeg(start: LegStart, context: AgentContext): LegControl {
  const leg = new OpenLeg(start, context)
  const reinviter = createReinviter(leg)
  leg.onRefresh = () => void reinviter.refresh()
  const control: LegControl = {
    callId: start.dialog.callId,
    remoteTag: start.dialog.remoteTag,
    send: (pcm) => leg.stream?.queue(pcm),
    clear: () => leg.stream?.clear() ?? 0,
    setVolume: (db) => leg.stream?.setVolume(db),
    get playedMs() {
      return leg.stream?.playedMs ?? 0
    },
    get queuedMs() {
      return leg.stream?.queuedMs ?? 0
    },
    sendDtmf: (keys) => leg.stream?.press(keys),
    hold: (isHolding) => reinviter.hold(isHolding),
    refer: (target) => referTo(leg, target),
    hangup: (reason) => leg.hangup('local_bye', reason),
    leave: () => leg.end('left'),
    snapshot() {
      if (leg.plan === null) throw new LegError(488, 'A call without a description')
      return { trunkId: start.trunk.id, dialog: leg.dialog, own: leg.own, plan: leg.plan, timer: leg.timer }
    },
    get stats() {
      return leg.stream?.stats ?? noStats
    },
    get isEnded() {
      return leg.isEnded
    },
    receive: (transaction, from) => receiveInLeg(leg, transaction, from),
    acknowledged: (body) => leg.acknowledged(body),
    acknowledgeTimeout: () => leg.acknowledgeTimeout(),
    takeOver: () => reinviter.hold(false),
  }
  leg.unregister = context.register(control, start.dialog)
  if (start.plan !== null) leg.setPlan(start.plan)
  leg.setTimer(start.timer)
  return control
}
