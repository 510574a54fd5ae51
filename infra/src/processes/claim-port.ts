import { mkdirSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { claimFile } from './claim-file.ts'
import { isRunning, ownIdentity, type ProcessIdentity } from './process-identity.ts'

/**
 * Claims a port among the fleets of this user until this process ends. A port is chosen seconds before a process listens on
 * it, and another fleet would see it as free meanwhile.
 *
 * @returns false when another process that runs has claimed it
 */
export function claimPort(port: number): boolean {
  const folder = path.join(tmpdir(), `ratchet-fleet-ports-${userInfo().uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const own = ownIdentity()
  const isHeld = (holder: ProcessIdentity) => isRunning(holder)
  const holder = claimFile(path.join(folder, String(port)), own, isHeld)
  return holder === null || (holder.pid === own.pid && holder.started === own.started)
}
