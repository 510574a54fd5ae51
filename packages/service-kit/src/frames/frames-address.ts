import { z } from 'zod'

/** Where inference listens for connections of frames. */
export type FramesAddress = { readonly path: string } | { readonly host: string; readonly port: number }

/** Operating systems accept some 104 bytes; the name under which a socket is created is longer than its own. */
const maxPathBytes = 92

/** Reads `unix:/path` or `tcp://host:port`. @throws RangeError for anything else */
export function parseFramesAddress(text: string): FramesAddress {
  if (text.startsWith('unix:/')) {
    const path = text.slice('unix:'.length)
    if (!isSocketPath(path)) throw new RangeError(`the path of a socket has at most ${maxPathBytes} bytes`)
    return { path }
  }
  const match = /^tcp:\/\/(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+):(\d{1,5})$/.exec(text)
  const [, host, port] = match ?? []
  if (host === undefined || Number(port) > 65_535) throw new RangeError('expected unix:/path or tcp://host:port')
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}

/** Whether an operating system accepts the path for a socket. */
export function isSocketPath(path: string): boolean {
  return Buffer.byteLength(path) <= maxPathBytes
}

/** The zod form of {@link parseFramesAddress}, for a service's configuration. */
export const FramesAddress = z.string().transform((text, context) => {
  try {
    return parseFramesAddress(text)
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message })
    return z.NEVER
  }
})
