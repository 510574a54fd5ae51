import type { SignallingSockets, SipPeer } from '../ports.ts'

/** Several ways for one agent: each message goes by the way of its peer. A message by a way that is missing is lost. */
export function joinSignalling(
  ways: Readonly<Partial<Record<SipPeer['transport'], SignallingSockets>>>,
): SignallingSockets {
  const all = Object.values(ways)
  const [first] = all
  if (first === undefined) throw new RangeError('there must be one way at least')
  return {
    send: (message, to) => ways[to.transport]?.send(message, to),
    addressFor: (peer) => (ways[peer.transport] ?? first).addressFor(peer),
    listen(onMessage) {
      for (const way of all) way.listen(onMessage)
    },
  }
}
