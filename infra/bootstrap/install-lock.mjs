import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toolchain } from './paths.mjs'

const lockFile = join(toolchain, 'lock')

/**
 * Runs `work` under a lock of this folder; waits while another bootstrap holds it.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withInstallLock(work) {
  mkdirSync(toolchain, { recursive: true })
  await acquire()
  try {
    return await work()
  } finally {
    rmSync(lockFile, { force: true })
  }
}

async function acquire() {
  let reported = false
  while (!tryAcquire()) {
    if (!reported) console.error('▸ another command is installing in this folder; waiting for it')
    reported = true
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** Creates the lock with its owner's id by a hard link, because creating a link is atomic. */
function tryAcquire() {
  const own = `${lockFile}.${process.pid}`
  writeFileSync(own, String(process.pid))
  try {
    linkSync(own, lockFile)
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  } finally {
    rmSync(own, { force: true })
  }
  const owner = readOwner()
  if (owner !== undefined && !isAlive(owner)) rmSync(lockFile, { force: true })
  return false
}

function readOwner() {
  try {
    return Number(readFileSync(lockFile, 'utf8'))
  } catch {
    return undefined
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
