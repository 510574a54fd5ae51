import { parseSipUri } from '../message/sip-uri.ts'
import type { OpenLeg } from './open-leg.ts'
import { LegError } from './sip-leg.ts'

/** How long the other side may try to reach the target. */
const maxTransferMs = 60_000

/** @throws LegError when the other side refuses or does not report the end */
export async function referTo(leg: OpenLeg, target: string): Promise<number> {
  parseSipUri(target)
  if (leg.onTransferStatus !== null) throw new LegError(491, 'REFER')
  const { promise, resolve } = Promise.withResolvers<number>()
  const stop = leg.context.clock.schedule(() => resolve(0), maxTransferMs)
  leg.onTransferStatus = resolve
  try {
    const response = await leg.request('REFER', [
      leg.contact(),
      { name: 'refer-to', value: `<${target}>` },
      { name: 'referred-by', value: leg.dialog.local },
    ])
    const status = response?.status ?? 408
    if (status >= 300) throw new LegError(status, 'REFER')
    const outcome = await promise
    if (outcome === 0) throw new LegError(408, 'REFER')
    return outcome
  } finally {
    leg.onTransferStatus = null
    stop()
  }
}

/** The final status in a NOTIFY about a transfer (RFC 3515), or null while it is tried. */
export function transferStatus(body: string): number | null {
  const status = Number(/^SIP\/2\.0 ([1-6]\d\d)/.exec(body)?.[1] ?? 100)
  return status < 200 ? null : status
}
