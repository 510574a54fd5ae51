import { writeHostPort } from '../message/header-values.ts'
import { randomHex } from '../ports.ts'
import { requestInDialog } from '../session/dialog.ts'
import { contactHeader } from './contact-header.ts'
import { sendRequest } from './send-request.ts'
import type { AgentContext } from './sip-leg.ts'

/** Sends OPTIONS: any answer shows that the trunk is there. */
export function pingTrunk(trunkId: string, context: AgentContext): Promise<number | null> {
  const trunk = context.trunks.byId(trunkId)
  if (trunk === null) throw new RangeError(`trunkId must be one of the trunks, got ${trunkId}`)
  const { target } = trunk
  const own = context.addressFor(target)
  const uri = `sip:${writeHostPort(target.host, target.port)}`
  const dialog = {
    callId: randomHex(context.random, 16),
    localTag: randomHex(context.random, 6),
    remoteTag: '',
    local: `<sip:ratchet@${writeHostPort(own.host, own.port)}>`,
    remote: `<${uri}>`,
    remoteTarget: uri,
    routes: [],
    localCseq: 0,
    remoteCseq: 0,
    peer: target,
  }
  const headers = [contactHeader(context, target), { name: 'accept', value: 'application/sdp' }]
  const startedMs = context.clock.nowMs()
  return new Promise((resolve) => {
    const onResponse = ({ status }: { readonly status: number }) => {
      if (status >= 200) resolve(context.clock.nowMs() - startedMs)
    }
    const draft = () => requestInDialog(dialog, 'OPTIONS', { headers, cseq: 1 })
    const withoutCredentials = { ...trunk, credentials: null }
    sendRequest(
      { to: target, trunk: withoutCredentials, draft },
      { onResponse, onTimeout: () => resolve(null) },
      context,
    )
  })
}
