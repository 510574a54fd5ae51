import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'

/* Linux takes the ports of outgoing connections from 32768 upwards. A port below is not taken by one of them. */
const lowestPort = 20_000
const highestPort = 32_767

/** Milliseconds for which no other call gets a chosen port, at least: longer than a process takes until it listens on it. */
const reservedMs = 60_000

/**
 * Chooses any port of 127.0.0.1 that is free at this moment, and that no outgoing connection will take. Other calls, also
 * those of other processes of this user, do not get the same one for a minute.
 */
export async function anyFreePort(): Promise<number> {
  const folder = path.join(tmpdir(), `ratchet-ports-${userInfo().uid}`)
  for (;;) {
    const port = randomInt(lowestPort, highestPort + 1)
    if ((await reserve(folder, port, Date.now())) && (await canListen(port))) return port
  }
}

/**
 * Creates the file of a port in the folder of this minute, which only one process can, and then looks for the port in
 * the minutes beside it. Two calls at the change of a minute both see the other's file, and neither takes the port.
 */
async function reserve(folder: string, port: number, now: number): Promise<boolean> {
  const minute = Math.floor(now / reservedMs)
  const fileOf = (at: number) => path.join(folder, String(at), String(port))
  const isNewMinute = (await mkdir(path.dirname(fileOf(minute)), { recursive: true, mode: 0o700 })) !== undefined
  if (isNewMinute) await removeEndedMinutes(folder, minute)
  const created = await open(fileOf(minute), 'wx').catch(() => null)
  await created?.close()
  if (created === null) return false
  return !existsSync(fileOf(minute - 1)) && !existsSync(fileOf(minute + 1))
}

async function removeEndedMinutes(folder: string, minute: number): Promise<void> {
  const ended = (await readdir(folder)).filter((name) => !(Number(name) >= minute - 1))
  await Promise.all(ended.map((name) => rm(path.join(folder, name), { recursive: true, force: true })))
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(false) : reject(error),
    )
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}
