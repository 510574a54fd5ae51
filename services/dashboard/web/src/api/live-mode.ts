/** `live`: messages arrive. `polling`: the server is reachable, messages are not. `offline`: this browser has no network. */
export type LiveMode = 'live' | 'polling' | 'offline'

/** The server writes a comment every 15 s; after two of them are missing, messages count as lost. */
const silenceMs = 35_000

/** @param lastHeardMs when anything arrived on the stream; null before it did */
export function liveModeOf(lastHeardMs: number | null, nowMs: number, isOnline: boolean): LiveMode {
  if (!isOnline) return 'offline'
  return lastHeardMs !== null && nowMs - lastHeardMs <= silenceMs ? 'live' : 'polling'
}

/** Milliseconds until the next try to connect: doubled with each failure, from 1 s to 30 s. */
export function reconnectMs(failures: number): number {
  return Math.min(30_000, 1_000 * 2 ** Math.min(failures, 10))
}
