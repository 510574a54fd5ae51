import { randomInt } from 'node:crypto'
import { mkdir, open, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'

/* Linux takes the ports of outgoing connections from 32768 upwards. A port below is not taken by one of them. */
const lowestPort = 20_000
const highestPort = 32_767

/** Milliseconds for which no other call gets a chosen port: longer than a process takes until it listens on it. */
const reservedMs = 60_000

/**
 * Chooses any port of 127.0.0.1 that is free at this moment, and that no outgoing connection will take. Other calls, also
 * those of other processes of this user, do not get the same one for a minute.
 */
export async function anyFreePort(): Promise<number> {
  const folder = path.join(tmpdir(), `ratchet-ports-${userInfo().uid}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (;;) {
    const port = randomInt(lowestPort, highestPort + 1)
    if ((await reserve(path.join(folder, String(port)))) && (await canListen(port))) return port
  }
}

/** Creates the file of a port, which only one process can. */
async function reserve(file: string): Promise<boolean> {
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: 0 }))
  if (Date.now() - mtimeMs < reservedMs) return false
  await rm(file, { force: true })
  const created = await open(file, 'wx').catch(() => null)
  await created?.close()
  return created !== null
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
