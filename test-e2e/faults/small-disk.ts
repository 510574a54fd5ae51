import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, statfsSync } from 'node:fs'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { OnStop } from './describe-fault.ts'
import { ownFolder } from './own-stores.ts'

/** A disk of the fault's own that can be filled to the last byte. */
export interface SmallDisk {
  readonly folder: string
  /** Takes all that is left. */
  fill(): Promise<void>
  /** Gives it back. */
  free(): Promise<void>
}

/** @throws where we may not mount one; ask {@link mayMount} before */
export async function mountSmallDisk(onStop: OnStop, megabytes: number): Promise<SmallDisk> {
  const folder = await ownFolder(onStop)
  mount(folder, megabytes)
  onStop(async () => unmount(folder))
  await chmod(folder, 0o711)
  const filler = path.join(folder, 'filler')
  return {
    folder,
    async fill() {
      const { blocks, bsize } = statfsSync(folder)
      // More than there is: what fits is written before the rest is refused.
      await expect(writeFile(filler, Buffer.alloc(blocks * bsize))).rejects.toMatchObject({ code: 'ENOSPC' })
    },
    free: () => rm(filler, { force: true }),
  }
}

/** Whether this machine lets us have a small disk: that takes root on Linux, and not in every container. */
export function mayMount(): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), 'ratchet-mount-'))
  try {
    mount(folder, 1)
    unmount(folder)
    return true
  } catch {
    return false
  } finally {
    rmdirSync(folder)
  }
}

function mount(folder: string, megabytes: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' })
}

function unmount(folder: string): void {
  execFileSync('umount', [folder])
}
