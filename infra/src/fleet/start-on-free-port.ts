import { isPortFree } from '../processes/free-port.ts'

const maxAttempts = 3

/**
 * Starts a process on a port, and on another one when another program takes the first one before it listens.
 *
 * @param choose names a port that is free now
 * @returns the port
 */
export async function startOnFreePort(
  choose: () => Promise<number>,
  start: (port: number) => Promise<void>,
): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await choose()
    try {
      await start(port)
      return port
    } catch (error) {
      // Where the port is still free, something else is wrong.
      if (attempt === maxAttempts || (await isPortFree(port))) throw error
    }
  }
}
