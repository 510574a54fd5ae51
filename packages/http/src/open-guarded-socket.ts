import { WebSocket } from 'ws'
import { type BaseUrlRules, checkBaseUrl } from './check-base-url.ts'
import { guardedLookup } from './guarded-connector.ts'
import { isPublicAddress } from './is-public-address.ts'
import { publicResolver, type ResolveHost, resolveLocally } from './resolve-host.ts'

export interface GuardedSocketOptions {
  /** `https://host/path` of the service; the socket is opened with wss, or with ws for http. */
  readonly baseUrl: string
  readonly rules: BaseUrlRules
  /** Path below the base URL, and query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Milliseconds until it must be open, from the name resolution on. */
  readonly openWithinMs: number
  /** A longer message closes the socket before it is read. */
  readonly maxMessageBytes: number
  /** Resolves hosts that the operator did not name; by default with the name servers. */
  readonly resolve?: ResolveHost
}

/** After `onClosed`, which comes once, there are no further events. */
export interface SocketListener {
  onOpen(): void
  /** A message of text. Messages of bytes are dropped. */
  onText(text: string): void
  /** It could not be opened, or was closed or cut by the other side, or broke a rule. */
  onClosed(reason: string): void
}

export interface GuardedSocket {
  /** Before it is open, and after it was closed, nothing is sent. */
  send(message: string | Uint8Array): void
  /** Bytes that wait because the other side does not read. */
  readonly waitingBytes: number
  /** Ends it at once; the listener hears nothing more. */
  close(): void
}

/**
 * Opens a WebSocket to a service outside. Like {@link createGuardedUpstream} it connects only to public addresses, each checked
 * when the connection is made, unless the operator named the host; it follows no redirects and uses no proxy. Messages are not
 * compressed, so that a small one cannot become a large one.
 *
 * @throws RangeError when {@link checkBaseUrl} refuses the URL
 */
export function openGuardedSocket(options: GuardedSocketOptions, listener: SocketListener): GuardedSocket {
  const { baseUrl, rules, path, headers, openWithinMs, maxMessageBytes, resolve = publicResolver() } = options
  const checked = checkBaseUrl(baseUrl, rules)
  if (checked.kind === 'refused') throw new RangeError(`not a base URL: ${checked.reason}`)
  const { origin, basePath, isAllowedByOperator } = checked
  const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}${basePath}${path}`, {
    headers: { ...headers },
    handshakeTimeout: openWithinMs,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    followRedirects: false,
    // Literal addresses, which are not looked up, were checked with the URL.
    lookup: guardedLookup({
      resolve: isAllowedByOperator ? resolveLocally : resolve,
      isAllowed: isAllowedByOperator ? () => true : isPublicAddress,
    }),
  })
  let isOver = false
  const end = (reason: string | null) => {
    if (isOver) return
    isOver = true
    clearTimeout(late)
    socket.terminate()
    if (reason !== null) listener.onClosed(reason)
  }
  // The time of the handshake does not include the name resolution.
  const late = setTimeout(() => end('not open in time'), openWithinMs)
  socket.on('open', () => {
    clearTimeout(late)
    if (!isOver) listener.onOpen()
  })
  socket.on('message', (data, isBinary) => {
    if (!isOver && !isBinary) listener.onText(String(data))
  })
  socket.on('error', (error) => end(error.message))
  socket.on('close', (code) => end(`closed with ${code}`))
  return {
    send(message) {
      if (!isOver && socket.readyState === WebSocket.OPEN) socket.send(message)
    },
    get waitingBytes() {
      return socket.bufferedAmount
    },
    close: () => end(null),
  }
}
