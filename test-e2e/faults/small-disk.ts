import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, statfsSync } from 'node:fs'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { OnStop } from './describe-fault.ts'
import { ownFolder } from './own-stores.ts'

/** A small disk for one fault that can be filled completely. */
export interface SmallDisk {
  readonly folder: string
  /** Fills the rest of the disk. */
  fill(): Promise<void>
  /** Frees the space again. */
  free(): Promise<void>
}

/** @throws when mounting is not allowed; check with {@link mayMount} first */
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
      // More than the free space: the part that fits is written before the rest is refused.
      await expect(writeFile(filler, Buffer.alloc(blocks * bsize))).rejects.toMatchObject({ code: 'ENOSPC' })
    },
    free: () => rm(filler, { force: true }),
  }
}

/** Whether this process can mount a small disk: only as root on Linux, and not in every container. */
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
