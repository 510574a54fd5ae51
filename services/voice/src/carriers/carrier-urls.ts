import { publicId } from '@ratchet/contracts/public-id'
import type { NumberKey, StoredNumber } from '../numbers/number.ts'

/** Where the carrier of a number reaches us. */
export function carrierUrls(origin: string, number: Pick<StoredNumber, 'provider'> & NumberKey, callId: string | null) {
  const base = `${origin}/carriers/${number.provider}/${publicId('voiceNumber', number.id)}`
  const query = callId === null ? '' : `?call=${publicId('call', callId)}`
  return { voiceUrl: `${base}/voice${query}`, statusUrl: `${base}/status${query}`, afterUrl: `${base}/resume${query}` }
}

/** The WebSocket by which a carrier connects with a worker, once. */
export function mediaUrl(
  origin: string,
  provider: string,
  { callId, token }: { callId: string; token: string },
): string {
  return `${origin.replace(/^http/, 'ws')}/media/${publicId('call', callId)}/${provider}/${token}`
}
