import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SignedMessage } from './payment-provider.ts'

/** A message that was signed longer ago may be a copy. */
const toleranceSeconds = 300
const maxSignatures = 10

/** Whether Stripe signed the message with this secret within five minutes of now. */
export function isSignedByStripe({ payload, signature }: SignedMessage, secret: string, now: Date): boolean {
  const parts = signature.split(',', maxSignatures + 1).map((part) => part.trim().split('=', 2))
  const time = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{1,12}$/.test(time)) return false
  if (Math.abs(now.getTime() / 1_000 - Number(time)) > toleranceSeconds) return false
  const expected = createHmac('sha256', secret).update(`${time}.${payload}`, 'utf8').digest()
  return parts.some(([name, hex = '']) => {
    if (name !== 'v1' || !/^[0-9a-f]{64}$/.test(hex)) return false
    return timingSafeEqual(Buffer.from(hex, 'hex'), expected)
  })
}
