import { createHash } from 'node:crypto'
import type { ChosenArm } from '../calls/call.ts'
import { isLive, type StoredCanary } from './canary.ts'

/**
 * The arm of a new call. The same caller keeps an arm for as long as the split lasts.
 *
 * @param caller what tells callers apart: a telephone number, or of a call from a browser its own id
 * @returns null without a live canary
 */
export function chooseArm(
  canary: StoredCanary | null,
  caller: string,
): (ChosenArm & { readonly version: number }) | null {
  if (!isLive(canary)) return null
  const { agentId, epoch, settings, targetVersion } = canary
  const digest = createHash('sha256').update(`canary\0${agentId}\0${epoch}\0${caller}`).digest()
  const isCanary = (digest.readUInt32BE(0) / 2 ** 32) * 100 < settings.percent
  return isCanary
    ? { arm: 'canary', epoch, version: settings.version }
    : { arm: 'target', epoch, version: targetVersion }
}
