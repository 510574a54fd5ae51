import { writeHostPort } from '../message/header-values.ts'
import type { SipHeader } from '../message/sip-message.ts'
import type { SipPeer } from '../ports.ts'
import type { AgentContext } from './sip-leg.ts'

/** Where a peer sends its requests within a call. */
export function contactHeader({ addressFor }: Pick<AgentContext, 'addressFor'>, peer: SipPeer): SipHeader {
  const { host, port } = addressFor(peer)
  const transport = peer.transport === 'udp' ? '' : `;transport=${peer.transport}`
  return { name: 'contact', value: `<sip:ratchet@${writeHostPort(host, port)}${transport}>` }
}
